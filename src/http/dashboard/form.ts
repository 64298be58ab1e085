import type { z } from "zod";
import { readObject } from "#contract/json-object.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { decoded } from "../body.ts";
import { mediaType } from "../media-type.ts";
import { checked } from "./page.ts";

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

/** Throws "address-malformed" if a path segment or a query value holds text that storage cannot keep. */
export function requireStorableAddress(address: string): void {
  const { pathname, searchParams } = new URL(address);
  if ([unescaped(pathname), ...[...searchParams].flat()].every(isStorableText)) return;
  throw new Failure(
    "address-malformed",
    "The address holds U+0000, or bytes that are not UTF-8; no id or name has them",
  );
}

/** Bytes that are not UTF-8 become U+0000, which is refused like them. */
function unescaped(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return "\0";
  }
}

/** Throws "member-invalid" if a string anywhere in a form holds text that storage cannot keep. */
function requireStorableForm(form: unknown, name = ""): void {
  if (typeof form === "string" && !isStorableText(form)) {
    throw new Failure("member-invalid", `Cannot take "${name}": it holds U+0000 or a lone surrogate`);
  }
  if (typeof form !== "object" || form === null) return;
  for (const [member, value] of Object.entries(form)) requireStorableForm(value, member);
}
