/** The response headers that a page of another origin may read (CORS, Access-Control-Expose-Headers). */
export const EXPOSED_HEADERS = [
  "Request-Id",
  "Plantstore-Version",
  "ETag",
  "Link",
  "Idempotent-Replayed",
  "Retry-After",
  "RateLimit",
  "RateLimit-Policy",
  "WWW-Authenticate",
  "Events-Cursor",
  "Deprecation",
  "Sunset",
] as const;
