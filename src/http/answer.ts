import { errorBody, errorMeaning } from "#contract/errors.ts";
import { Failure } from "#core/failure.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * A JSON answer to a POST. No cache keeps it, so it carries the headers for pages of other origins (CORS) only where the
 * request names an origin.
 */
export function postAnswer(body: string, context: RequestContext): Response {
  const { id, rateHeaders, version, raw, service } = context;
  const { postHeaders, crossOriginPostHeaders } = version;
  // The answer to a page has the headers of its mount.
  if (context.callerOf)
    return service.guards.largeAnswers.answer(context, body, { headers: { "Content-Type": "application/json" } });
  const template = raw.headers.has("origin") ? crossOriginPostHeaders : postHeaders;
  // Set before the headers are copied for the answer, which is faster than afterwards.
  template.set("Request-Id", id);
  const response = service.guards.largeAnswers.answer(context, body, { headers: template });
  if (rateHeaders) setHeaders(response, rateHeaders);
  return response;
}

/** The headers of every answer of the API. */
export function apiHeaders({ id, rateHeaders, version }: RequestContext): Record<string, string> {
  return { "Request-Id": id, ...version.headers, ...rateHeaders };
}

export function setHeaders(response: Response, headers: Record<string, string>): void {
  for (const [name, value] of Object.entries(headers)) {
    // An answer may have links of its own, like a page of a list.
    if (name === "Link") response.headers.append(name, value);
    else response.headers.set(name, value);
  }
}

/**
 * Turns an error into an answer. An error that is not a Failure is a fault of the service, and its text is only logged.
 */
export function refusal(error: unknown, requestId: string): Response {
  const failure = error instanceof Failure ? error : new Failure("fault", faultMessage(requestId), { cause: error });
  const { error: code, status } = errorMeaning(failure.code);
  const headers = { "Content-Type": "application/json", ...failure.detail.headers };
  return new Response(errorBody(code, failure.message), { status, headers });
}

/** All that a caller is told of a fault of the service. */
export function faultMessage(requestId: string): string {
  return `The service failed; quote the request id ${requestId} when you report it`;
}
