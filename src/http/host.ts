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
