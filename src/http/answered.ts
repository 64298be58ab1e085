import { isSecure } from "#core/client-info.ts";
import { refusal, setHeaders } from "./answer.ts";
import { logEnd } from "./log-end.ts";
import { HSTS } from "./page-headers.ts";
import type { RequestContext } from "./request-context.ts";

export type Handler = (context: RequestContext) => Promise<Response>;

/**
 * Answers a request and ends it. Only here does an error become an answer, and only here do usage, the log and every
 * sink learn of the request. `headers` returns the headers for every answer of this part of the service, which replace
 * those of the handler except `Link`. With `setByHandler` the handler's answer has them already, and only refusals get
 * them here. If a request is refused while its handler is waiting (`context.refuse`), it has ended: the handler's own
 * answer comes too late and is dropped.
 */
export function answered(
  context: RequestContext,
  handler: Handler,
  headers: (context: RequestContext) => Record<string, string>,
  setByHandler = false,
): Promise<Response> {
  // The promise is settled by hand, since an async function takes half a microsecond more.
  return new Promise((resolve, reject) => {
    // Without a response, the request is refused with `context.error`.
    const settle = (given?: Response) => {
      if (context.hasEnded) return;
      try {
        const response = given ?? refusal(context.error, context.id);
        if (!(given && setByHandler)) setHeaders(response, headers(context));
        ended(context, response);
        context.service.lateAnswers.send(context, response, given === undefined, resolve);
      } catch (fault) {
        reject(fault);
      }
    };
    const refuse = (error: unknown) => {
      if (context.hasEnded) return;
      context.error = error;
      settle();
    };
    context.refuse = refuse;
    try {
      handler(context).then(settle, refuse);
    } catch (error) {
      refuse(error);
    }
  });
}

function ended(context: RequestContext, response: Response): void {
  if (context.service.handingOver) response.headers.set("Connection", "close");
  const { mayBeSecure } = context.service;
  if (mayBeSecure && isSecure(context.client.origin)) response.headers.set("Strict-Transport-Security", HSTS);
  context.end(response.status);
  if (context.cachedToken) context.service.tokens.count(context.cachedToken, context);
  logEnd(context);
  for (const sink of context.service.sinks) sink.requestEnded(context);
}
