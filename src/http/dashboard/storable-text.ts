import { Failure } from "#core/failure.ts";
import { isStorableText } from "#core/text.ts";

/** Throws "address-malformed" if a path segment or a query value holds text that storage cannot keep. */
export function requireStorableAddress(address: string): void {
  const { pathname, searchParams } = new URL(address);
  const parts = [decoded(pathname), ...[...searchParams].flat()];
  if (parts.every((part) => part !== undefined && isStorableText(part))) return;
  throw new Failure(
    "address-malformed",
    "The address holds U+0000, or bytes that are not UTF-8; no id or name has them",
  );
}

/** Throws "member-invalid" if a string anywhere in a form holds text that storage cannot keep. */
export function requireStorableForm(form: unknown, name = ""): void {
  if (typeof form === "string") {
    if (isStorableText(form)) return;
    throw new Failure("member-invalid", `Cannot take "${name}": it holds U+0000 or a lone surrogate`);
  }
  if (typeof form !== "object" || form === null) return;
  for (const [member, value] of Object.entries(form)) requireStorableForm(value, member);
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
