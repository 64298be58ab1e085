/** `localhost` and every name below it (RFC 6761, 6.3), and the addresses. */
const LOOPBACK_NAME = /^(?:(?:.+\.)?localhost\.?|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** True for a host name, or an address, of this machine alone. */
export function isLoopbackName(hostname: string): boolean {
  return LOOPBACK_NAME.test(hostname);
}
