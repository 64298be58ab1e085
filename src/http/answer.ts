import { errorBody, errorMeaning } from "#contract/errors.ts";
import { EXPOSED_HEADERS } from "#contract/headers.ts";
import { VERSION } from "#contract/v1/version.ts";
import { Failure } from "#core/failure.ts";
import type { RequestContext } from "./request-context.ts";

const SAME_ORIGIN_HEADERS = { "Plantstore-Version": VERSION, "X-Content-Type-Options": "nosniff" };
/** The headers of every answer of the API, whatever it is about. */
export const VERSION_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...SAME_ORIGIN_HEADERS,
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": EXPOSED_HEADERS.join(", "),
});
/** Keeps shared caches from storing a plant. */
export const PLANT_CACHING = "private, no-cache";
const TYPE = { "Content-Type": "application/json" };
/** They are copied for each answer, since reading an object with as many headers costs three times as much. */
const POST_HEADERS = new Headers({ ...TYPE, ...SAME_ORIGIN_HEADERS });
const CROSS_ORIGIN_POST_HEADERS = new Headers({ ...TYPE, ...VERSION_HEADERS });
const PLANT_HEADERS = new Headers({ ...TYPE, ...VERSION_HEADERS, "Cache-Control": PLANT_CACHING });

/**
 * A JSON answer to a POST. No cache keeps it, so it carries the headers for pages of other origins (CORS) only where the
 * request names an origin.
 */
export function postAnswer(body: string, context: RequestContext): Response {
  const { id, ownHeaders, raw, service } = context;
  // The answer to a page has the headers of its mount.
  if (context.callerOf) return service.guards.largeAnswers.answer(context, body, { headers: TYPE });
  const template = raw.headers.has("origin") ? CROSS_ORIGIN_POST_HEADERS : POST_HEADERS;
  // Set before the headers are copied for the answer, which is faster than afterwards.
  template.set("Request-Id", id);
  const response = service.guards.largeAnswers.answer(context, body, { headers: template });
  if (ownHeaders) setHeaders(response, ownHeaders);
  return response;
}

/** An answer with one plant, of that version. */
export function plantAnswer(
  context: RequestContext,
  body: string | Uint8Array<ArrayBuffer>,
  { status, etag }: { readonly status: number; readonly etag: string },
): Response {
  const { id, ownHeaders, service } = context;
  const { largeAnswers } = service.guards;
  if (context.callerOf) {
    const headers = { ...TYPE, ETag: etag, "Cache-Control": PLANT_CACHING };
    return largeAnswers.withBody(context, body, { status, headers });
  }
  PLANT_HEADERS.set("Request-Id", id);
  PLANT_HEADERS.set("ETag", etag);
  const response = largeAnswers.withBody(context, body, { status, headers: PLANT_HEADERS });
  if (ownHeaders) setHeaders(response, ownHeaders);
  return response;
}

/** The headers of every answer of the API. */
export function apiHeaders({ id, ownHeaders }: RequestContext): Record<string, string> {
  return { "Request-Id": id, ...VERSION_HEADERS, ...ownHeaders };
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
