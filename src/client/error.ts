/** The service refused a call. */
export class PlantstoreError extends Error {
  override readonly name = "PlantstoreError";
  constructor(
    /** The service's own number, as in 40901; the table stands at /docs. */
    readonly error: number,
    /** The HTTP status. */
    readonly status: number,
    message: string,
    /** To quote when reporting it. */
    readonly requestId: string | undefined,
  ) {
    super(message);
  }
}

/** No answer of the service was had: the network failed, time ran out, or something else answered. */
export class PlantstoreUnreachable extends Error {
  override readonly name = "PlantstoreUnreachable";
  constructor(
    readonly reason: "network" | "timeout" | "answer",
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
