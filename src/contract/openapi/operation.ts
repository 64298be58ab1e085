import type { Scope } from "#core/token.ts";
import { ERROR_NUMBERS, type ErrorCode } from "../error-numbers.ts";
import { answerHeaders, REFUSED, schemaReference } from "./responses.ts";

export interface OperationParts {
  readonly tag: "Plants" | "Events" | "Webhooks" | "Service";
  readonly summary: string;
  readonly description: string;
  /** The scope that the token must have; undefined for an operation that needs no token. */
  readonly scope?: Scope;
  /** The refusals of this operation, without those that `ALWAYS`, `WITH_TOKEN` and `WITH_BODY` add. */
  readonly errors?: readonly ErrorCode[];
  readonly parameters?: readonly object[];
  readonly requestBody?: object;
  /** The requests that the service sends in turn. */
  readonly callbacks?: object;
  /** The successful answers. */
  readonly responses: Readonly<Record<string, object>>;
}

const ALWAYS: readonly ErrorCode[] = ["fault", "unavailable"];
const WITH_TOKEN: readonly ErrorCode[] = [
  "token-missing",
  "token-refused",
  "scope-missing",
  "rate-limited",
  "version-ended",
];
const WITH_BODY: readonly ErrorCode[] = ["media-type-unsupported", "body-too-large", "request-timeout"];
/** The refusals of a body that must be a JSON object. */
export const JSON_BODY_ERRORS: readonly ErrorCode[] = ["body-not-json", "body-not-a-plant", "member-invalid"];

/** An operation with its scope and its refusals, which are said both in words and in a form for programs. */
export function operation(operationId: string, { tag, scope, errors = [], ...parts }: OperationParts): object {
  const { summary, description, parameters, requestBody, callbacks, responses } = parts;
  const codes = [...ALWAYS, ...(scope ? WITH_TOKEN : []), ...(requestBody ? WITH_BODY : []), ...errors];
  const numbers = new Set(codes.map((code) => ERROR_NUMBERS[code]));
  return {
    operationId,
    tags: [tag],
    summary,
    description: scope ? `${description} Needs the scope \`${scope}\`.` : description,
    security: scope ? [{ bearer: [scope] }] : [],
    ...(parameters ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: { ...responses, ...REFUSED },
    ...(callbacks ? { callbacks } : {}),
    "x-error-numbers": [...numbers].sort((a, b) => a - b),
  };
}

export function headerParameter(name: string, description: string, example: string): object {
  return { name, in: "header", description, schema: { type: "string" }, example };
}

export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", description, schema };
}

/** A JSON body with that named schema. */
export function jsonBody(schema: string, description: string, required = true, example?: unknown): object {
  const media = { schema: schemaReference(schema), ...(example === undefined ? {} : { example }) };
  return { required, description, content: { "application/json": media } };
}

/** A JSON merge patch (RFC 7396) of that named schema, which is taken under its own media type and as plain JSON. */
export function mergePatch(schema: string, example?: unknown): object {
  const media = { schema: schemaReference(schema), ...(example === undefined ? {} : { example }) };
  const content = { "application/json": media, "application/merge-patch+json": media };
  return { required: true, description: "The members to change.", content };
}

/** A successful answer with a body of that named schema. */
export function answer(
  description: string,
  { schema, example, headers, links }: { schema: string; example?: unknown; headers?: HeaderTexts; links?: object },
): object {
  const content = { schema: schemaReference(schema), ...(example === undefined ? {} : { example }) };
  return {
    description,
    headers: answerHeaders(headers),
    content: { "application/json": content },
    ...(links === undefined ? {} : { links }),
  };
}

export type HeaderTexts = Readonly<Record<string, string>>;
