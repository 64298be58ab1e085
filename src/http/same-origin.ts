import { isLoopbackName } from "#contract/loopback-name.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";

const READS = new Set(["GET", "HEAD"]);

/**
 * Refuses a changing request from another site's page (CSRF). A client other than a browser holds nobody else's cookie.
 * The cookie's SameSite=Lax is a second defence.
 */
export function requireSameOrigin(method: string, client: ClientInfo): void {
  if (READS.has(method) || !isOfAnotherOrigin(client)) return;
  throw new Failure("origin-refused", `This must be sent by the dashboard's own page, at ${client.origin}/dashboard`);
}

/**
 * True for a request from another origin's page, by the headers that browsers send: Sec-Fetch-Site (W3C Fetch
 * Metadata), Origin, otherwise Referer. Other clients send none of these headers.
 */
export function isOfAnotherOrigin({ headers, origin }: ClientInfo): boolean {
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") return true;
  const sender = headers.get("origin") ?? headers.get("referer");
  return sender !== null && URL.parse(sender)?.origin !== origin;
}

const LOOPBACK_ADDRESS = /^(?:127\.|::1$)/;

/**
 * True for a request from this machine to itself under a name that is not its own. A page whose host name was made to
 * resolve to the loopback address sends such requests, and calls them its own (DNS rebinding).
 */
export function hasForeignName({ address, origin }: ClientInfo): boolean {
  return LOOPBACK_ADDRESS.test(address) && !isLoopbackName(new URL(origin).hostname);
}
