import { ERRORS } from "../errors.ts";

const STATUS_NAMES: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  429: "TooManyRequests",
  500: "Fault",
  503: "Unavailable",
};

const HEADERS_BY_STATUS: Readonly<Record<number, Record<string, string>>> = {
  401: { "WWW-Authenticate": "The challenge of RFC 6750." },
  403: { "WWW-Authenticate": "The challenge of RFC 6750, with the scope that is missing." },
  405: { Allow: "The methods that are allowed." },
  429: {
    "Retry-After": "Seconds to wait.",
    RateLimit: "What is left (draft-ietf-httpapi-ratelimit-headers).",
    "RateLimit-Policy": "The quota (draft-ietf-httpapi-ratelimit-headers).",
  },
  503: { "Retry-After": "Seconds to wait." },
};

/** References to the answers of these statuses, for an operation. */
export function refusals(...statuses: readonly number[]): Record<string, object> {
  return Object.fromEntries(
    statuses.map((status) => [String(status), { $ref: `#/components/responses/${STATUS_NAMES[status]}` }]),
  );
}

export function errorResponses(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(STATUS_NAMES).map(([status, name]) => [name, errorResponse(Number(status))]),
  );
}

export function commonHeaders(): Record<string, object> {
  return {
    "Request-Id": header("Names this request; quote it when you report a fault."),
    "Plantstore-Version": header("The version of the interface: 1.0.0."),
  };
}

/** The headers of every answer, and more. */
export function headers(more: Readonly<Record<string, string>> = {}): Record<string, object> {
  const named = Object.entries(more).map(([name, description]) => [name, header(description)]);
  const common = Object.keys(commonHeaders()).map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  return Object.fromEntries([...common, ...named]);
}

function errorResponse(status: number): object {
  const causes = Object.values(ERRORS).filter((meaning) => meaning.status === status);
  return {
    description: causes.map(({ error, when }) => `${error}: ${when}`).join("; "),
    headers: headers(HEADERS_BY_STATUS[status]),
    content: {
      "application/json": {
        schema: { $ref: "#/components/schemas/Error" },
        example: { error: causes[0]?.error, message: causes[0]?.when },
      },
    },
  };
}

function header(description: string): object {
  return { description, schema: { type: "string" } };
}
