import type { z } from "zod";
import { readObject } from "#contract/json-object.ts";
import { decoded } from "../body.ts";
import { mediaType } from "../media-type.ts";
import { checked } from "./query.ts";
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
