/** The client that sent a request, and the public origin to which it was sent. */
export interface ClientInfo {
  /** The origin, such as `https://plants.example`. */
  readonly origin: string;
  /** The client's network address, or "" if it has already left. */
  readonly address: string;
  readonly headers: Headers;
  readonly requestId?: string;
}

export function isSecure(origin: string): boolean {
  return origin.startsWith("https:");
}
