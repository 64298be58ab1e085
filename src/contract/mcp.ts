/** A call of the Model Context Protocol whose token was checked. */
export interface McpCall {
  readonly request: Request;
  readonly body: unknown;
  readonly token: string;
  readonly scopes: readonly string[];
}

export interface McpAnswer {
  readonly response: Response;
  /** The number of requests that the call's tool sent to the API. */
  readonly requests: number;
  /** The error by which the tool failed, other than a refusal of the service. */
  readonly fault?: unknown;
}
