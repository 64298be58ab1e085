import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";

/** A failed request to the dashboard's own routes. A `status` of 0 means that no answer came. */
export class RequestFailure extends Error {
  override readonly name = "RequestFailure";
  constructor(
    readonly status: number,
    /** The number of the Error shape; undefined if the answer had none. */
    readonly error: number | undefined,
    message: string,
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** The reader closed a dialog that a request had opened. Nothing was done, and no message is needed. */
export class Dismissed extends Error {
  override readonly name = "Dismissed";
}

export const NO_ANSWER = "Plantstore does not answer. What you typed is kept; try again in a moment.";

/**
 * A failure in the form in which it is shown, whatever its origin. It is `logged` if the request is in the request log,
 * which has those to the API alone, and `unreachable` if no answer came; the connection may recover by itself.
 */
export function shownFailure(cause: unknown) {
  if (cause instanceof RequestFailure || cause instanceof PlantstoreError) {
    const { error, requestId, status } = cause;
    const logged = cause instanceof PlantstoreError;
    return { message: plainText(cause.message), error, requestId, logged, unreachable: status === 0 };
  }
  const unreachable = cause instanceof PlantstoreUnreachable && cause.reason !== "answer";
  const said = (cause instanceof Error ? cause.message : String(cause)).slice(0, 200);
  const unexpected = `Something went wrong on this page. Reload it and try again. (${said})`;
  const message = unreachable ? NO_ANSWER : unexpected;
  return { message, error: undefined, requestId: undefined, logged: false, unreachable };
}

/** A text of the API for people, without the marks around names of headers and members. */
export function plainText(text: string): string {
  return text.replaceAll("`", "");
}
