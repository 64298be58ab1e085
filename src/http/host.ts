/** A name or an IPv4 address, or an IPv6 address in brackets, and a port (RFC 3986, 3.2.2); no user, no list. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]+|\[[\da-fA-F:.]+\])(?::\d{0,5})?$/;

let lastValid: string | undefined;

/**
 * Whether a Host is one that RFC 9112, 3.2 allows; several arrive joined by a comma. Nearly every request of a service
 * names the same one, which is then not checked again.
 */
export function isValidHost(host: string | null): boolean {
  if (host === lastValid) return true;
  if (host === null || !HOST.test(host)) return false;
  lastValid = host;
  return true;
}
