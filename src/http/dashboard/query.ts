import type { z } from "zod";
import { Failure } from "#core/failure.ts";

/** Reads a query. Throws "address-malformed"; parameters that the schema does not know are ignored. */
export function readQuery<Schema extends z.ZodObject>(parameters: URLSearchParams, schema: Schema): z.output<Schema> {
  const query = checked(schema, Object.fromEntries(parameters), "address-malformed");
  for (const name of Object.keys(query)) {
    if (parameters.getAll(name).length > 1) throw givenTwice(name);
  }
  return query;
}

function givenTwice(name: string): Failure {
  return new Failure("address-malformed", `Cannot take "${name}": it must be given once`);
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
