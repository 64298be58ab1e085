import type { z } from "zod";
import { Failure } from "#core/failure.ts";

/** Reads a query. Throws "address-malformed"; parameters that the schema does not know are ignored. */
export function readQuery<Schema extends z.ZodObject>(search: string, schema: Schema): z.output<Schema> {
  const parameters = new URLSearchParams(search);
  const query = checked(schema, Object.fromEntries(parameters), "address-malformed");
  const twice = Object.keys(query).find((name) => parameters.getAll(name).length > 1);
  if (twice === undefined) return query;
  throw new Failure("address-malformed", `Cannot take "${twice}": it must be given once`);
}

export function checked<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  code: "member-invalid" | "address-malformed",
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Failure(code, `Cannot take "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "it is malformed"}`);
}
