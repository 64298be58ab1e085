/** Requested by supervisors and load balancers, without a token. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

/** The address of a request, which is its path alone where HTTP/1.0 sent no Host. */
export function absoluteUrl(url: string): string {
  return url.startsWith("/") ? `http://localhost${url}` : url;
}

/** The path of a request's address as it was sent, except for dot segments; undefined if its Host made it malformed. */
export function pathOf(url: string): string | undefined {
  const start = url.indexOf("/", "https://".length);
  if (start < 0 || url.startsWith("/")) return undefined;
  const query = url.indexOf("?", start);
  return query < 0 ? url.slice(start) : url.slice(start, query);
}

/** The query of a request's address as it was sent, without its question mark. */
export function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start < 0 ? "" : url.slice(start + 1);
}

/** A name or an IPv4 address, or an IPv6 address in brackets, and a port (RFC 3986, 3.2.2); no user, no list. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]+|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/;

let lastValid: string | undefined;

/**
 * True for a Host that RFC 9112, 3.2 allows and that makes a URL; several arrive joined by a comma. None at all is that
 * of HTTP/1.0: the runtime refuses HTTP/1.1 without one. Nearly every request of a service names the same one, which is
 * then not checked again.
 */
export function isValidHost(host: string | null): boolean {
  if (host === lastValid) return true;
  if (host === null) return true;
  if (!HOST.test(host) || !URL.canParse(`http://${host}`)) return false;
  lastValid = host;
  return true;
}
