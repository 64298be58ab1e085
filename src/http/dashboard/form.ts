import type { z } from "zod";
import { readObject } from "#contract/json-object.ts";
import { checked } from "#contract/refused-member.ts";
import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";
import { decoded, FORMS, isParsedInline, readBytes } from "../body.ts";
import { mediaType } from "../media-type.ts";
import type { RequestContext } from "../request-context.ts";

/** U+0000 or a surrogate. In valid JSON of UTF-8 they are escaped. */
const UNSTORABLE = /\\u(?:0000|d[89a-f])/i;

const ACCEPTED = ["application/json"] as const;

/**
 * Reads a form, a JSON object; an empty body counts as an empty object. Without a schema only its size
 * is checked. Throws "media-type-unsupported", "body-too-large", "body-not-json", "body-not-a-plant" or "member-invalid".
 */
export async function readForm(context: RequestContext, schema: z.ZodType | undefined): Promise<unknown> {
  if (schema) mediaType(context.raw, ACCEPTED);
  const bytes = context.raw.body ? await readBytes(context, FORMS.each) : new Uint8Array();
  if (!schema) return undefined;
  const text = decoded(bytes);
  if (!isParsedInline(text)) throw new Failure("member-invalid", "Cannot read the form: no form has so many brackets");
  const form = text === "" ? {} : readObject(text, "read the form");
  if (UNSTORABLE.test(text)) requireStorableForm(form);
  return checked(schema, form, "member-invalid");
}

/** Throws "address-malformed" if a path segment or a query value holds text that storage cannot keep. */
export function requireStorableAddress(address: string): void {
  const { pathname, search } = new URL(address);
  // Other invalid UTF-8 in the values of a query becomes U+FFFD.
  if (isStorableText(unescaped(pathname)) && !search.includes("%00")) return;
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
  const members = Array.isArray(form)
    ? form.map((value, index) => [String(index), value] as const)
    : Object.entries(form);
  for (const [member, value] of members) requireStorableForm(value, member);
}
