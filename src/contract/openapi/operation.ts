import type { Route } from "#core/request.ts";
import type { Scope } from "#core/token.ts";
import { ERROR_NUMBERS, type ErrorCode } from "../error-numbers.ts";

type Tag = "Plants" | "Events" | "Webhooks" | "Tokens" | "Service";
type Texts = Readonly<Record<string, string>>;
/** The name of a schema, with an example, by media type. */
type Contents = Readonly<Record<string, readonly [schema: string, example?: unknown]>>;

interface OperationParts {
  readonly summary: string;
  readonly description: string;
  /** The scopes that the token must have. No token is needed for operations of the tag Service. */
  readonly scopes: readonly Scope[];
  /** The kind of address that figures are kept by. A handler may make it a narrower one. */
  readonly route: Route;
  /** The refusals of this operation, without those that its token and its body add. */
  readonly errors?: readonly ErrorCode[];
  /** The parameter of its path, if all operations of the path have it. */
  readonly ofPath?: object;
  readonly parameters?: readonly object[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly description: string;
    readonly content: Readonly<Record<string, object>>;
  };
  readonly callbacks?: object;
  readonly responses: Readonly<Record<string, object>>;
}

/** An operation of the interface: the document is made of it, and it is checked by it before it is served. */
export interface Operation extends OperationParts {
  readonly tag: Tag;
  /** The method and the path without the version's prefix. */
  readonly address: `${"GET" | "POST" | "PUT" | "PATCH" | "DELETE"} /${string}`;
}

const ALWAYS: readonly ErrorCode[] = ["fault", "unavailable"];
const WITH_TOKEN = ["token-missing", "token-refused", "scope-missing", "rate-limited"] as const;
const WITH_BODY: readonly ErrorCode[] = ["media-type-unsupported", "body-too-large", "request-timeout"];
/** The refusals of a body that must be a JSON object. */
const WITH_JSON: readonly ErrorCode[] = ["body-not-json", "body-not-a-plant", "member-invalid"];

const ERROR = { $ref: "#/components/responses/Error" } as const;

/** Makes the operations of a tag, which have `common` in common. */
export function operations<Common extends Partial<OperationParts>>(tag: Tag, common: Common) {
  type Own = Omit<OperationParts, keyof Common> & Partial<OperationParts>;
  return (address: Operation["address"], own: Own): Operation =>
    ({ tag, address, ...common, ...own, errors: [...(common.errors ?? []), ...(own.errors ?? [])] }) as Operation;
}

/** The operation in the document. Its scopes and its refusals are said both in words and in a form for programs. */
export function documented(operationId: string, operation: Operation): object {
  const { tag, summary, description, scopes, errors = [], parameters, requestBody, callbacks, responses } = operation;
  const needsToken = tag !== "Service";
  const codes = [
    ...ALWAYS,
    ...(needsToken ? WITH_TOKEN : []),
    ...(requestBody ? WITH_BODY : []),
    ...(requestBody && "application/json" in requestBody.content ? WITH_JSON : []),
    ...errors,
  ];
  const needed = scopes.map((each) => `the scope \`${each}\``).join(" and ") || "a token of any scope";
  const numbers = new Set(codes.map((code) => ERROR_NUMBERS[code]));
  return {
    operationId,
    tags: [tag],
    summary,
    description: needsToken ? `${description} Needs ${needed}.` : description,
    // Scopes stand beside it: only OpenAPI 3.1 lets them be named for a scheme other than OAuth (4.8.30).
    security: needsToken ? [{ bearer: [] }] : [],
    parameters,
    requestBody,
    // 400 is named because the interface names it.
    responses: { ...responses, "400": ERROR, default: ERROR },
    callbacks,
    "x-scopes": needsToken ? scopes : undefined,
    "x-error-numbers": [...numbers].sort((a, b) => a - b),
  };
}

export function contentOf(contents: Contents): Record<string, object> {
  const content = Object.entries(contents).map(
    ([type, [name, example]]) => [type, { schema: { $ref: `#/components/schemas/${name}` }, example }] as const,
  );
  return Object.fromEntries(content);
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

/** An answer with JSON of a named schema, with contents of other types, or with none. */
export function answer(
  description: string,
  schema?: string | Contents,
  { example, headers, links }: { example?: unknown; headers?: Texts; links?: object } = {},
): object {
  const contents = typeof schema === "string" ? { "application/json": [schema, example] as const } : schema;
  return { description, headers: answerHeaders(headers), content: contents && contentOf(contents), links };
}

export function errorResponses(): Record<string, object> {
  const headers = {
    "WWW-Authenticate": "On 401 and 403: the challenge of RFC 6750, with the missing scope if it is that.",
    Allow: "On 405: the methods of this address.",
    "Retry-After": "On 429 and 503: the seconds to wait.",
    RateLimit: "With a rate limit: the rest of the quota (draft-ietf-httpapi-ratelimit-headers).",
    "RateLimit-Policy": "With a rate limit: the quota (draft-ietf-httpapi-ratelimit-headers).",
  };
  const description = "The request was refused. `error` says why: the tag Errors has the meaning of each number.";
  const example = { error: 40901, message: "The id 42 is taken by another plant" };
  return { Error: answer(description, "Error", { example, headers }) };
}

export function commonHeaders(version: string): Record<string, object> {
  return {
    "Request-Id": header("Identifies this request; quote it when you report a fault."),
    "Plantstore-Version": header(`The version of the interface: ${version}.`),
  };
}

function answerHeaders(texts: Texts = {}): Record<string, object> {
  return {
    "Request-Id": { $ref: "#/components/headers/Request-Id" },
    "Plantstore-Version": { $ref: "#/components/headers/Plantstore-Version" },
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, header(text)])),
  };
}

function header(description: string): object {
  return { description, schema: { type: "string" } };
}
