import type { ClientInfo } from "../client-info.ts";
import { privateHeaders } from "../page-headers.ts";

/** Adds what each of these answers carries; cookies one by one, since they cannot share a line. */
export function asPrivate(response: Response, client: ClientInfo, requestId: string): Response {
  for (const [name, value] of Object.entries(privateHeaders(client.secure))) response.headers.set(name, value);
  response.headers.set("Request-Id", requestId);
  return response;
}

export function setCookies(headers: Headers, cookies: readonly string[]): void {
  for (const cookie of cookies) headers.append("Set-Cookie", cookie);
}
