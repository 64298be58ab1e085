/** The version of the client's package, which is not that of the interface. */
export const CLIENT_VERSION = "1.1.0";

/**
 * The header that names the client to the service. Browsers send their own, and would ask the service for permission
 * first if it was set.
 */
export function userAgent(): Record<string, string> {
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  return isBrowser ? {} : { "User-Agent": `plantstore-client/${CLIENT_VERSION}` };
}
