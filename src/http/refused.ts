import { Failure } from "#core/failure.ts";
import { apiHeaders, refusal, setHeaders } from "./answer.ts";
import type { Service } from "./service.ts";

/** The API's answer to a request that failed. */
export function refused(service: Service, request: Request, requestId: string, error: unknown): Response {
  const response = logged(service, refusal(error, requestId), error, requestId);
  setHeaders(response, apiHeaders(requestId, service.rateLimit?.headersOf(request)));
  return response;
}

/** Faults and outages are logged with what the answer must not tell. */
export function logged(service: Service, response: Response, error: unknown, requestId: string): Response {
  if (response.status >= 500 && response.status !== 501) {
    const cause = error instanceof Failure ? error.cause : error;
    service.log.error({ requestId, status: response.status, err: cause ?? error }, "request failed");
  } else if (response.status === 401) {
    service.log.warn({ requestId, status: 401 }, "token refused");
  }
  return response;
}
