import { errorBody, errorMeaning } from "#contract/errors.ts";
import { EXPOSED_HEADERS } from "#contract/headers.ts";
import { VERSION } from "#contract/version.ts";
import { Failure } from "#core/failure.ts";

const API_HEADERS = {
  "Plantstore-Version": VERSION,
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED_HEADERS.join(", "),
} as const;

/** Copied for each answer: reading an object of as many headers costs three times as much. */
const JSON_HEADERS = new Headers({ "Content-Type": "application/json", ...API_HEADERS });

/** An answer of the API, in JSON. */
export function jsonAnswer(body: string, requestId: string, more?: Record<string, string>): Response {
  const response = new Response(body, { headers: JSON_HEADERS });
  response.headers.set("Request-Id", requestId);
  if (more) setHeaders(response, more);
  return response;
}

/** What every answer of the API carries; `rate`: what tells of the token's rate. */
export function apiHeaders(requestId: string, rate?: Record<string, string>): Record<string, string> {
  return { "Request-Id": requestId, ...API_HEADERS, ...rate };
}

export function setHeaders(response: Response, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
}

/** The one place that turns a failure into an answer. What is no Failure is a fault of ours, and only logged. */
export function refusal(error: unknown, requestId: string): Response {
  const failure = error instanceof Failure ? error : fault(requestId, error);
  const { error: code, status } = errorMeaning(failure.code);
  const headers = { "Content-Type": "application/json", ...failure.detail.headers };
  return new Response(errorBody(code, failure.message), { status, headers });
}

/** The number that an error is answered with. */
export function errorNumber(error: unknown): number {
  return errorMeaning(error instanceof Failure ? error.code : "fault").error;
}

function fault(requestId: string, cause: unknown): Failure {
  return new Failure("fault", `The service failed; quote the request id ${requestId} when you report it`, { cause });
}
