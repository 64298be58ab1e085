import { isSecure } from "#core/client-info.ts";
import { refusal, setHeaders } from "./answer.ts";
import { logEnd } from "./log-end.ts";
import { HSTS } from "./page-headers.ts";
import type { RequestContext, ServedRequest } from "./request-context.ts";

export type RequestHandler = (context: RequestContext) => Promise<Response>;

/**
 * Answers a request and ends it. Only here does an error become an answer, and only here do usage, the log and every
 * sink learn of the request. `headers` returns the headers for every answer of this part of the service, which replace
 * those of the handler except `Link`. With `setByHandler` the handler's answer has them already, as has one with the request's
 * id, and only the others get them here. If a request is refused while its handler is waiting (`request.refuse`), it has
 * ended: the handler's own answer comes too late and is dropped.
 */
export function respond(
  request: ServedRequest,
  handler: RequestHandler,
  headers: (context: RequestContext) => Record<string, string>,
  setByHandler = false,
): Promise<Response> {
  // The promise is settled by hand, since an async function takes half a microsecond more.
  return new Promise((resolve, reject) => {
    // An undefined response refuses the request with `request.error`.
    const settle = (given?: Response) => {
      if (request.hasEnded) return;
      try {
        const response = given ?? refusal(request.error, request.id);
        if (!given || !(setByHandler || given.headers.has("Request-Id"))) setHeaders(response, headers(request));
        ended(request, response);
        request.service.guards.lateAnswers.send(request, response, given === undefined, resolve);
      } catch (fault) {
        reject(fault);
      }
    };
    const refuse = (error: unknown) => {
      if (request.hasEnded) return;
      request.error = error;
      settle();
    };
    request.refuse = refuse;
    try {
      handler(request).then(settle, refuse);
    } catch (error) {
      refuse(error);
    }
  });
}

function ended(request: ServedRequest, response: Response): void {
  const { service, caller, cachedToken } = request;
  if (service.leaving.size > 0 && service.leaving.has(request.server)) response.headers.set("Connection", "close");
  if (service.isSecure ?? isSecure(request.client.origin)) response.headers.set("Strict-Transport-Security", HSTS);
  request.end(response.status);
  if (cachedToken) service.tokens.count(cachedToken, request);
  else if (caller?.account !== undefined) service.tokens.countOfPage(caller.account, request.created);
  else if (request.token) service.tokens.countRefused(request.raw.headers.get("authorization") ?? "", request);
  logEnd(service.log, request);
  for (const sink of service.observation.sinks) sink.requestEnded(request);
}
