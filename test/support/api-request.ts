/** A request of the API: its token, and its body as JSON or, if it is text, as it stands. */
export interface ApiRequest {
  readonly as?: string;
  readonly body?: unknown;
  /** They may replace the type of the body, which is JSON otherwise. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export function requestInit(method: string, { as, body, headers, signal }: ApiRequest = {}): RequestInit {
  return {
    method,
    headers: {
      "Content-Type": "application/json",
      ...(as !== undefined && { Authorization: `Bearer ${as}` }),
      ...headers,
    },
    body: body === undefined || typeof body === "string" ? body : JSON.stringify(body),
    signal,
  };
}
