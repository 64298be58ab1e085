import type { z } from "zod";
import { readObject } from "#contract/json-object.ts";
import { Failure } from "#core/failure.ts";
import { decoded } from "../body.ts";
import { mediaType } from "../media-type.ts";
import { requireStorableForm } from "./storable-text.ts";

const ACCEPTED = ["application/json"] as const;
/**
 * Reads a JSON object; an empty body counts as an empty object. Throws "media-type-unsupported", "body-not-json" or
 * "member-invalid".
 */
export async function readOptionalJson(request: Request): Promise<Record<string, unknown>> {
  mediaType(request, ACCEPTED);
  const text = decoded(await request.arrayBuffer());
  const form = text === "" ? {} : readObject(text, "read the form");
  requireStorableForm(form);
  return form;
}

/** Reads a form. Throws "member-invalid" for its first fault. */
export async function readForm<Schema extends z.ZodType>(request: Request, schema: Schema): Promise<z.output<Schema>> {
  return checked(schema, await readOptionalJson(request), "member-invalid");
}

/** Reads a query. Throws "address-malformed"; parameters that the schema does not know are ignored. */
export function readQuery<Schema extends z.ZodObject>(request: Request, schema: Schema): z.output<Schema> {
  const parameters = new URL(request.url).searchParams;
  const query = checked(schema, Object.fromEntries(parameters), "address-malformed");
  for (const name of Object.keys(query)) {
    if (parameters.getAll(name).length > 1) throw givenTwice(name);
  }
  return query;
}

function givenTwice(name: string): Failure {
  return new Failure("address-malformed", `Cannot take "${name}": it must be given once`);
}

function checked<Schema extends z.ZodType>(
  schema: Schema,
  given: unknown,
  code: "member-invalid" | "address-malformed",
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new Failure(code, `Cannot take "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "it is malformed"}`);
}
