/** Mantine adds style elements and attributes; scripts come only from the service's own files. */
const PAGE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "object-src 'none'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

const DATA_POLICY =
  "default-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const NOT_USED = ["camera", "microphone", "geolocation", "payment", "usb", "serial", "display-capture"];
const PERMISSIONS = [...NOT_USED.map((name) => `${name}=()`), "publickey-credentials-get=(self)"].join(", ");

/** `Strict-Transport-Security` (RFC 6797) for two years, sent with every answer to a request over HTTPS. */
export const HSTS = `max-age=${2 * 365 * 24 * 3600}; includeSubDomains`;

/**
 * The headers of every page and file of the dashboard (OWASP Secure Headers). `secure` is true if the request came over
 * HTTPS.
 */
export function pageHeaders(secure: boolean): Record<string, string> {
  return {
    "Content-Security-Policy": PAGE_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": PERMISSIONS,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    ...(secure ? { "Strict-Transport-Security": HSTS } : {}),
  };
}

/**
 * The headers of every answer of `/dashboard/api` and `/auth`, which is for the page alone and must not be stored
 * anywhere.
 */
export function privateHeaders(secure: boolean): Record<string, string> {
  return { ...pageHeaders(secure), "Content-Security-Policy": DATA_POLICY, "Cache-Control": "no-store" };
}
