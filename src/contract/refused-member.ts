import type { z } from "zod";
import { Failure } from "#core/failure.ts";

const KINDS: Readonly<Record<string, string>> = {
  array: "an array",
  boolean: "true or false",
  number: "a number",
  object: "an object",
  string: "a string",
};

const FORMATS: Readonly<Record<string, string>> = {
  datetime: "a time such as 2026-11-21T16:12:29Z",
  url: "an absolute URL",
};

const UNITS: Readonly<Record<string, string>> = { array: " entries", string: " characters" };

/**
 * Reads a value by its schema. Throws the code, with a sentence that names the first fault; "body-not-a-plant" for a member
 * of a body that is missing.
 */
export function checked<Schema extends z.ZodType>(
  schema: Schema,
  given: object,
  code: "member-invalid" | "address-malformed",
): z.output<Schema> {
  const result = schema.safeParse(given);
  if (result.success) return result.data;
  const { path, isMissing, problem } = firstFault(result.error, given);
  const lacksMember = isMissing && code === "member-invalid";
  throw new Failure(lacksMember ? "body-not-a-plant" : code, `Cannot take "${path.join(".")}": it ${problem}`);
}

/** The first fault that a schema found, and the rest of a sentence about the member or parameter at that path. */
export function firstFault({ issues: [issue] }: z.ZodError, given: object) {
  if (!issue) throw new TypeError("A schema refused without saying why");
  const { path } = issue;
  const isMissing = path[0] !== undefined && !(path[0] in given);
  return { path, isMissing, problem: isMissing ? "is missing" : requirementOf(issue) };
}

/**
 * Says what a refused member or parameter must be, as in `must be "viewer" or "owner"`. A schema that has a message of its
 * own keeps it.
 */
function requirementOf(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `${verb(issue)} ${KINDS[issue.expected] ?? issue.expected}`;
    case "invalid_value":
      return `${verb(issue)} ${listed(issue.values.map((value) => JSON.stringify(value)))}`;
    case "invalid_format":
      return FORMATS[issue.format] === undefined ? issue.message : `${verb(issue)} ${FORMATS[issue.format]}`;
    case "too_small":
      return bound(issue, "at least", issue.minimum);
    case "too_big":
      return bound(issue, "at most", issue.maximum);
    default:
      return issue.message;
  }
}

/** The path of an entry of a list ends with its place in it. */
function verb({ path }: z.core.$ZodIssue): string {
  return path.length > 1 ? "may only hold" : "must be";
}

function bound({ origin }: { readonly origin: string }, word: string, limit: number | bigint): string {
  const unit = UNITS[origin];
  return unit === undefined ? `must be ${word} ${limit}` : `must have ${word} ${limit}${unit}`;
}

function listed(values: readonly string[]): string {
  const [last = "", ...before] = values.toReversed();
  return before.length === 0 ? last : `${before.reverse().join(", ")} or ${last}`;
}
