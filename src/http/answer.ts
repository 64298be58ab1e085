import { errorBody, errorMeaning } from "#contract/errors.ts";
import { VERSION } from "#contract/version.ts";
import { Failure } from "#core/failure.ts";

const EXPOSED = [
  "Request-Id",
  "Plantstore-Version",
  "ETag",
  "Link",
  "Idempotent-Replayed",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "WWW-Authenticate",
].join(", ");

/** What every answer of the API carries, beside its `Request-Id`. */
export const API_HEADERS = {
  "Plantstore-Version": VERSION,
  "X-Content-Type-Options": "nosniff",
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED,
} as const;

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
