import { version } from "#package.json";

/** The version of the client, which is released with the service. That of the interface differs. */
export const CLIENT_VERSION: string = version;

const PRODUCTS = /^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/;

/**
 * The header that names the program and the client to the service (RFC 9110, 10.1.5). Browsers send their own, and would
 * need the service's permission first to send another. Throws a TypeError for a name that no header can hold.
 */
export function userAgent(application?: string): Record<string, string> {
  if (application !== undefined && !PRODUCTS.test(application)) {
    throw new TypeError('The application must be a name and a version in ASCII, as in "nursery-import/2.1"');
  }
  const isBrowser = globalThis.navigator?.userAgent?.startsWith("Mozilla/") ?? false;
  const client = `plantstore-client/${CLIENT_VERSION}`;
  return isBrowser ? {} : { "User-Agent": application === undefined ? client : `${application} ${client}` };
}
