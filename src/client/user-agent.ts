/** The version of the client's package, which differs from that of the interface. */
export const CLIENT_VERSION = "1.1.0";

/**
 * The header that names the client to the service. Browsers send their own, and would need the service's permission
 * first to send another.
 */
export function userAgent(): Record<string, string> {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  return isBrowser ? {} : { "User-Agent": `plantstore-client/${CLIENT_VERSION}` };
}
