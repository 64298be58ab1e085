import type { Scope } from "#core/token.ts";
import { ERROR_NUMBERS, type ErrorCode } from "../error-numbers.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "../limits.ts";

type Texts = Readonly<Record<string, string>>;

export interface OperationParts {
  readonly tag: "Plants" | "Events" | "Webhooks" | "Service";
  readonly summary: string;
  readonly description: string;
  /** The scope that the token must have; undefined for an operation that needs no token. */
  readonly scope?: Scope;
  /** The refusals of this operation, without those that its token and its body add. */
  readonly errors?: readonly ErrorCode[];
  readonly parameters?: readonly object[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, object>>;
  };
  readonly callbacks?: object;
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
const WITH_JSON: readonly ErrorCode[] = ["body-not-json", "body-not-a-plant", "member-invalid"];

const ERROR = { $ref: "#/components/responses/Error" } as const;

/** An operation with its scope and its refusals, which are said both in words and in a form for programs. */
export function operation(operationId: string, { tag, scope, errors = [], ...parts }: OperationParts): object {
  const { summary, description, parameters, requestBody, callbacks, responses } = parts;
  const codes = [
    ...ALWAYS,
    ...(scope ? WITH_TOKEN : []),
    ...(requestBody ? WITH_BODY : []),
    ...(requestBody && "application/json" in requestBody.content ? WITH_JSON : []),
    ...errors,
  ];
  const numbers = new Set(codes.map((code) => ERROR_NUMBERS[code]));
  return {
    operationId,
    tags: [tag],
    summary,
    description: scope ? `${description} Needs the scope \`${scope}\`.` : description,
    security: scope ? [{ bearer: [scope] }] : [],
    ...(parameters ? { parameters } : {}),
    ...(requestBody ? { requestBody } : {}),
    // 400 is named because the interface names it.
    responses: { ...responses, "400": ERROR, default: ERROR },
    ...(callbacks ? { callbacks } : {}),
    "x-error-numbers": [...numbers].sort((a, b) => a - b),
  };
}

export function pathParameter(name: string, description: string, schema: object = { type: "string" }): object {
  return { name, in: "path", required: true, description, schema };
}

export function headerParameter(name: string, description: string, example: string): object {
  return { name, in: "header", description, schema: { type: "string" }, example };
}

export function queryParameter(name: string, description: string, schema: object): object {
  return { name, in: "query", description, schema };
}

export function countParameter(name: string, description: string, [minimum, maximum, preset]: Range): object {
  return queryParameter(name, description, { type: "integer", minimum, maximum, default: preset });
}

type Range = readonly [minimum: number, maximum: number, preset: number];

export function limitParameter(description: string): object {
  return countParameter("limit", description, [1, PAGE_LIMIT_MAX, PAGE_LIMIT_DEFAULT]);
}

export function cursorParameter(description: string): object {
  return queryParameter("cursor", description, { type: "string", minLength: 1 });
}

function media(schema: string, example?: unknown): object {
  return { schema: schemaReference(schema), ...(example === undefined ? {} : { example }) };
}

/** Content by its media types, each with the name of its schema and an example. */
export function contentOf(
  types: Readonly<Record<string, readonly [schema: string, example?: unknown]>>,
): Record<string, object> {
  return Object.fromEntries(Object.entries(types).map(([type, named]) => [type, media(...named)]));
}

export function jsonBody(schema: string, description: string, required = true, example?: unknown) {
  return { required, description, content: contentOf({ "application/json": [schema, example] }) };
}

/** A JSON merge patch (RFC 7396) of that named schema, which is taken under its own media type and as plain JSON. */
export function mergePatch(schema: string, example?: unknown) {
  const named = [schema, example] as const;
  const content = contentOf({ "application/json": named, "application/merge-patch+json": named });
  return { required: true, description: "The members to change.", content };
}

export function answer(
  description: string,
  { schema, example, headers, links }: { schema: string; example?: unknown; headers?: Texts; links?: object },
): object {
  return {
    description,
    headers: answerHeaders(headers),
    content: contentOf({ "application/json": [schema, example] }),
    ...(links === undefined ? {} : { links }),
  };
}

function schemaReference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

/** The answers to a refused request, all with one shape. */
export function errorResponses(): Record<string, object> {
  const headers = answerHeaders({
    "WWW-Authenticate": "On 401 and 403: the challenge of RFC 6750, with the missing scope if it is that.",
    Allow: "On 405: the methods of this address.",
    "Retry-After": "On 429 and 503: the seconds to wait.",
    RateLimit: "With a rate limit: the rest of the quota (draft-ietf-httpapi-ratelimit-headers).",
    "RateLimit-Policy": "With a rate limit: the quota (draft-ietf-httpapi-ratelimit-headers).",
  });
  const description = "The request was refused. `error` says why: the tag Errors has the meaning of each number.";
  const example = { error: 40901, message: "The id 42 is taken by another plant" };
  return { Error: { description, headers, content: contentOf({ "application/json": ["Error", example] }) } };
}

export function commonHeaders(version: string): Record<string, object> {
  return {
    "Request-Id": header("Identifies this request; quote it when you report a fault."),
    "Plantstore-Version": header(`The version of the interface: ${version}.`),
  };
}

/** The headers of every answer, and those of this one. */
export function answerHeaders(own: Texts = {}): Record<string, object> {
  return {
    "Request-Id": { $ref: "#/components/headers/Request-Id" },
    "Plantstore-Version": { $ref: "#/components/headers/Plantstore-Version" },
    ...Object.fromEntries(Object.entries(own).map(([name, text]) => [name, header(text)])),
  };
}

function header(description: string): object {
  return { description, schema: { type: "string" } };
}
