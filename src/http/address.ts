/** Requested by supervisors and load balancers, without a token. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(["/healthz", "/readyz"]);

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

/** The origin for addresses in answers: the public address if one is set, otherwise that of the request. */
export function publicOrigin(baseUrl: string | undefined, url: string): string {
  return baseUrl === undefined ? new URL(url).origin : baseUrl.replace(/\/+$/, "");
}
