/** A reference to one of the named schemas. */
export function schemaReference(name: string): object {
  return { $ref: `#/components/schemas/${name}` };
}

const ERROR_HEADERS: Readonly<Record<string, string>> = {
  "WWW-Authenticate": "On 401 and 403: the challenge of RFC 6750, with the missing scope if it is that.",
  Allow: "On 405: the methods of this address.",
  "Retry-After": "On 429 and 503: the seconds to wait.",
  RateLimit: "With a rate limit: the rest of the quota (draft-ietf-httpapi-ratelimit-headers).",
  "RateLimit-Policy": "With a rate limit: the quota (draft-ietf-httpapi-ratelimit-headers).",
};

const ERROR = { $ref: "#/components/responses/Error" } as const;

/** The answers to a refused request, all with one shape. 400 is named because the interface names it. */
export const REFUSED = { "400": ERROR, default: ERROR } as const;

export function errorResponses(): Record<string, object> {
  return {
    Error: {
      description: "The request was refused. `error` says why: the tag Errors has the meaning of each number.",
      headers: answerHeaders(ERROR_HEADERS),
      content: {
        "application/json": {
          schema: schemaReference("Error"),
          example: { error: 40901, message: "The id 42 is taken by another plant" },
        },
      },
    },
  };
}

/** The headers that every answer has. */
export function commonHeaders(version: string): Record<string, object> {
  return {
    "Request-Id": header("Identifies this request; quote it when you report a fault."),
    "Plantstore-Version": header(`The version of the interface: ${version}.`),
  };
}

/** The headers of every answer, and those of this one. */
export function answerHeaders(own: Readonly<Record<string, string>> = {}): Record<string, object> {
  const references = ["Request-Id", "Plantstore-Version"].map((name) => [
    name,
    { $ref: `#/components/headers/${name}` },
  ]);
  return Object.fromEntries([...references, ...Object.entries(own).map(([name, text]) => [name, header(text)])]);
}

function header(description: string): object {
  return { description, schema: { type: "string" } };
}
