import { isIP, isIPv4, isIPv6 } from "node:net";
import ipaddr from "ipaddr.js";
import { shortened } from "#contract/found-value.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { DAY_MS, HOUR_MS } from "#core/duration.ts";
import type { Log } from "#core/log.ts";
import type { Networks } from "#core/networks.ts";

export type ClientInfoOf = (request: Request) => ClientInfo;

export interface ClientInfoOptions {
  /** BASE_URL, which replaces the origin of every request. */
  readonly baseUrl: string | undefined;
  readonly proxies: Networks;
  readonly log: Pick<Log, "warn">;
  peer(request: Request): string | undefined;
}

/** Longer chains of proxies than this do not occur, and every stranger may begin one. */
const HOPS_MAX = 32;

/**
 * Forwarded headers (`X-Forwarded-For`, `-Proto`, `-Host`) count only if the connection comes from a trusted proxy;
 * otherwise they are ignored, which is a line of the log, once in a day. An entry of `X-Forwarded-For` that is no address is a line of the log, once in an hour.
 */
export function clientInfo({ baseUrl, proxies, log, peer }: ClientInfoOptions): ClientInfoOf {
  const fixed = baseUrl && new URL(baseUrl).origin;
  let warnedAt = Number.NEGATIVE_INFINITY;
  const warn = (hop: string, client: string) => {
    if (performance.now() - warnedAt < HOUR_MS) return;
    warnedAt = performance.now();
    const found = shortened(hop);
    log.warn(
      { found, client },
      "X-Forwarded-For has an entry that is no address: the one after it counts as the client",
    );
  };
  let toldDroppedAt = Number.NEGATIVE_INFINITY;
  const dropped = (request: Request, address: string) => {
    if (performance.now() - toldDroppedAt < DAY_MS || !isForwarded(request)) return;
    toldDroppedAt = performance.now();
    log.warn(
      { peer: address },
      `The forwarded headers of ${address} are dropped, so that its clients count as one: if it is your proxy, name it in TRUSTED_PROXIES`,
    );
  };
  return (request) => {
    const address = unmapped(peer(request) ?? "");
    const forwarded = proxies.includes(address);
    if (!forwarded) dropped(request, address);
    const origin = fixed || (forwarded && forwardedOrigin(request)) || ownUrl(request).origin;
    return {
      origin,
      address: forwarded ? clientAddress(request, { peer: address, proxies, warn }) : address,
      headers: request.headers,
    };
  };
}

function isForwarded({ headers }: Request): boolean {
  return headers.has("x-forwarded-for") || headers.has("x-forwarded-proto");
}

/** The first address from the right that is not a trusted proxy. Any address left of it may be forged, and is not read. */
function clientAddress(request: Request, { peer, proxies, warn }: Walk): string {
  const header = request.headers.get("x-forwarded-for");
  let client = peer;
  for (let hops = 0, end = header?.length ?? 0; header && end >= 0 && hops < HOPS_MAX; hops++) {
    const start = header.lastIndexOf(",", end - 1);
    const hop = header.slice(start + 1, end).trim();
    end = start;
    if (hop === "") continue;
    const address = hopAddress(hop);
    if (address === undefined) {
      warn(hop, client);
      return client;
    }
    client = address;
    if (!proxies.includes(client)) return client;
  }
  return client;
}

interface Walk {
  readonly peer: string;
  readonly proxies: Networks;
  warn(hop: string, client: string): void;
}

/** Some proxies add the client's port, and brackets to IPv6, as RFC 7239 has them in quotes. */
const HOP = /^"?(?:\[([^\]]+)\]|([\d.]+))(?::\d*)?"?$/;

/** The address of an entry alone; undefined if it has none. */
function hopAddress(hop: string): string | undefined {
  if (isIP(hop) !== 0) return unmapped(hop);
  const [, inBrackets = "", beforePort = ""] = HOP.exec(hop) ?? [];
  if (isIPv6(inBrackets)) return unmapped(inBrackets);
  return isIPv4(beforePort) ? beforePort : undefined;
}

/** An IPv4 address that a socket for both families shows as `::ffff:192.0.2.1`, in its usual form; any other as it is. */
function unmapped(address: string): string {
  return /^(?:::|0:)/.test(address) ? ipaddr.process(address).toString() : address;
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
