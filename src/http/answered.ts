import { refusal, setHeaders } from "./answer.ts";
import { logEnd } from "./log-end.ts";
import { HSTS } from "./page-headers.ts";
import type { RequestContext } from "./request-context.ts";

/** Gives the answer, or throws a Failure. */
export type Handler = (context: RequestContext) => Promise<Response>;

/**
 * Answers a request and ends it: the one place where an error becomes an answer, and where usage, the log and every sink
 * learn of the request. `headers` gives the headers that every answer of this part of the service carries; an answer
 * of a handler that sets them itself is left as it is.
 */
export async function answered(
  context: RequestContext,
  handler: Handler,
  headers: (context: RequestContext) => Record<string, string>,
  setByHandler = false,
): Promise<Response> {
  let response: Response;
  try {
    response = await handler(context);
    if (!setByHandler) setHeaders(response, headers(context));
  } catch (error) {
    context.error = error;
    response = refusal(error, context.id);
    setHeaders(response, headers(context));
  }
  if (context.service.handingOver) response.headers.set("Connection", "close");
  const { mayBeSecure } = context.service;
  if (mayBeSecure && context.client.secure) response.headers.set("Strict-Transport-Security", HSTS);
  end(context, response.status);
  return response;
}

function end(context: RequestContext, status: number): void {
  context.end(status);
  if (context.cachedToken) context.service.tokens.count(context.cachedToken, context);
  logEnd(context);
  for (const sink of context.service.sinks) sink.requestEnded(context);
}
