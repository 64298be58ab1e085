import { Failure } from "#core/failure.ts";
import type { ClientInfo } from "./client-info.ts";

const READS = new Set(["GET", "HEAD"]);

/**
 * Refuses a changing request that another site's page sent (CSRF), by what every browser says of it: Sec-Fetch-Site
 * (W3C Fetch Metadata), Origin, else Referer. A program that is no browser says none of it, and holds no one else's
 * cookie. The cookie's SameSite=Lax stands behind this.
 */
export function requireSameOrigin(method: string, { headers, origin }: ClientInfo): void {
  if (READS.has(method)) return;
  const site = headers.get("sec-fetch-site");
  if (site !== null && site !== "same-origin") throw refused(origin);
  const sender = headers.get("origin") ?? headers.get("referer");
  if (sender !== null && URL.parse(sender)?.origin !== origin) throw refused(origin);
}

function refused(origin: string): Failure {
  return new Failure("origin-refused", `This must be sent by the dashboard's own page, at ${origin}/dashboard`);
}
