import { Failure, unavailable } from "#core/failure.ts";

/** Refusals of a request before any route sees it. */
const CLOSE = { Connection: "close" };

export function malformedHost(): Failure {
  return new Failure("address-malformed", "The request must have exactly one valid Host (RFC 9112, 3.2)", {
    headers: CLOSE,
  });
}

export function methodUnknown(): Failure {
  return new Failure("method-unknown", "There is no such method; methods are written in capitals (RFC 9110, 9.1)", {
    headers: CLOSE,
  });
}

export function draining(): Failure {
  const failure = unavailable("The service is shutting down; try again");
  return new Failure(failure.code, failure.message, { headers: { ...failure.detail.headers, ...CLOSE } });
}
