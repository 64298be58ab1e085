import { timingSafeEqual } from "node:crypto";
import { exposition } from "./exposition.ts";
import type { Series } from "./figures.ts";

export interface MetricsOptions {
  readonly hostname: string;
  readonly port: number;
  /** True if another process of the service may listen on the same port (SO_REUSEPORT). */
  readonly sharesPort: boolean;
  /** A bearer token that each scrape must send; undefined if the address is private. */
  readonly token: string | undefined;
  /** Reads every figure from memory, without asking the database. */
  readonly series: () => Iterable<Series>;
}

const TEXT = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };

/** Serves `GET /metrics` at a separate address. */
export function serveMetrics({ hostname, port, sharesPort, token, series }: MetricsOptions): Bun.Server<undefined> {
  return Bun.serve({
    hostname,
    port,
    development: false,
    reusePort: sharesPort,
    fetch(request) {
      if (new URL(request.url).pathname !== "/metrics") return new Response("See /metrics\n", { status: 404 });
      if (request.method !== "GET" && request.method !== "HEAD") {
        return new Response(null, { status: 405, headers: { Allow: "GET, HEAD" } });
      }
      if (token !== undefined && !isSame(request.headers.get("authorization") ?? "", `Bearer ${token}`)) {
        return new Response(null, { status: 401, headers: { "WWW-Authenticate": "Bearer" } });
      }
      return new Response(exposition(series()), { headers: TEXT });
    },
  });
}

/** Compares hashes, so that the time reveals nothing about the token. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => new Bun.CryptoHasher("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
