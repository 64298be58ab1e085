import { isIP } from "node:net";
import type { ClientInfo } from "#core/client-info.ts";
import type { TrustedProxies } from "./trusted-proxies.ts";

export type ClientInfoOf = (request: Request) => ClientInfo;

export interface ClientInfoOptions {
  /** BASE_URL, which replaces the origin of every request. */
  readonly baseUrl: string | undefined;
  readonly proxies: TrustedProxies;
  peer(request: Request): string | undefined;
}

/**
 * Forwarded headers (`X-Forwarded-For`, `-Proto`, `-Host`) count only if the connection comes from a trusted proxy;
 * otherwise they are ignored.
 */
export function clientInfo({ baseUrl, proxies, peer }: ClientInfoOptions): ClientInfoOf {
  const fixed = baseUrl && new URL(baseUrl).origin;
  return (request) => {
    const address = peer(request) ?? "";
    const forwarded = proxies.includes(address);
    const origin = fixed || (forwarded && forwardedOrigin(request)) || ownUrl(request).origin;
    return {
      origin,
      address: forwarded ? clientAddress(request, address, proxies) : address,
      headers: request.headers,
    };
  };
}

/** The first address from the right that is not a trusted proxy. Any address left of it may be forged. */
function clientAddress(request: Request, peer: string, proxies: TrustedProxies): string {
  const hops = (request.headers.get("x-forwarded-for") ?? "").split(",").map((hop) => hop.trim());
  let client = peer;
  for (const hop of hops.reverse()) {
    if (isIP(hop) === 0) return client;
    client = hop;
    if (!proxies.includes(hop)) return client;
  }
  return client;
}

/** The address as sent on the connection; with this host's name if the request has none, or an unreadable one. */
function ownUrl({ url }: Request): URL {
  return URL.parse(url, "http://localhost") ?? new URL("http://localhost");
}

function forwardedOrigin(request: Request): string | undefined {
  const direct = ownUrl(request);
  const scheme = first(request.headers.get("x-forwarded-proto")) ?? direct.protocol.slice(0, -1);
  const host = first(request.headers.get("x-forwarded-host")) ?? direct.host;
  if (scheme !== "http" && scheme !== "https") return undefined;
  return URL.parse(`${scheme}://${host}`)?.origin;
}

function first(list: string | null): string | undefined {
  return list?.split(",", 1)[0]?.trim() || undefined;
}
