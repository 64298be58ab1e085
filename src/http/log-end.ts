import { Failure, type FailureCode, isReported } from "#core/failure.ts";
import type { Log } from "#core/log.ts";
import type { EndedRequest } from "#core/request.ts";

/** Refusals that may show an attempted attack. */
const SUSPICIOUS: ReadonlySet<FailureCode> = new Set([
  "sign-in-refused",
  "second-factor-refused",
  "password-refused",
  "sign-up-refused",
  "origin-refused",
  "identity-unknown",
  "identity-refused",
]);

/** Refusals whose cause is told by the log alone. */
const OF_PROVIDER: ReadonlySet<FailureCode> = new Set(["identity-unknown", "identity-refused"]);

/** Refusals that are no fault of the caller. */
const OUTAGES: ReadonlySet<FailureCode> = new Set(["fault", "unavailable", "provider-unavailable"]);

/**
 * Logs faults and outages with their cause, which the answer must not reveal, and refused credentials with the client's
 * address. Other requests are logged only at level debug. No line holds a query, a body or a cookie.
 */
export function logEnd(log: Log, request: EndedRequest): void {
  if (log.debugEnabled) {
    const { method, path, status, durationMs, address, account, person } = request;
    const by = { address, account, token: request.token?.id, person };
    log.debug({ ...idsOf(request), method, path, status, ms: Math.round(durationMs), ...by }, "request");
  }
  if (request.error !== undefined) logRefusal(log, request);
}

function logRefusal(log: Log, request: EndedRequest): void {
  const { path, status, error } = request;
  const ids = idsOf(request);
  if (!(error instanceof Failure) || OUTAGES.has(error.code)) {
    if (!isReported(error)) log.error({ ...ids, path, status, err: error }, "request failed");
  } else if (error.code === "token-missing" || error.code === "token-refused") {
    log.warn({ ...ids, path, status, address: request.address }, "token refused");
  } else if (SUSPICIOUS.has(error.code) || (!request.isApi && error.code === "rate-limited")) {
    // It holds no code, no token and nothing of a person, as that of another refusal may.
    const { cause } = OF_PROVIDER.has(error.code) ? error : {};
    const why = cause instanceof Error ? { why: cause.message } : {};
    log.warn({ ...ids, path, reason: error.code, ...why, address: request.address }, "sign-in refused");
  }
}

/**
 * The ids by which a line is found: that of the request, and those of its span or, if it is not traced, of its caller's
 * span.
 */
function idsOf({ id, span, trace }: EndedRequest): Record<string, string> {
  const parent = span ?? trace;
  return parent ? { request_id: id, trace_id: parent.traceId, span_id: parent.spanId } : { request_id: id };
}
