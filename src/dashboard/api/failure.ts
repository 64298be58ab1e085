import { PlantstoreError, PlantstoreUnreachable } from "#client/error.ts";

/** Why a request of the dashboard's own routes did not succeed. `status` 0: no answer was had. */
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

/** What of a failure is shown, whichever way it came. */
export interface ShownFailure {
  readonly message: string;
  readonly error: number | undefined;
  readonly requestId: string | undefined;
  /** Nobody answered: it is the connection, and may pass by itself. */
  readonly unreachable: boolean;
}

export function shownFailure(cause: unknown): ShownFailure {
  if (cause instanceof RequestFailure || cause instanceof PlantstoreError) {
    const { message, error, requestId, status } = cause;
    return { message, error, requestId, unreachable: status === 0 };
  }
  const unreachable = cause instanceof PlantstoreUnreachable && cause.reason !== "answer";
  const message = unreachable
    ? "The service did not answer. Check the connection; nothing that was typed is lost."
    : messageOf(cause);
  return { message, error: undefined, requestId: undefined, unreachable };
}

function messageOf(cause: unknown): string {
  const said = cause instanceof Error ? cause.message : String(cause);
  return `This page met something that it does not understand: ${said.slice(0, 200)}`;
}
