import { timingSafeEqual } from "node:crypto";
import { Failure } from "#core/failure.ts";
import { secretIn } from "#core/token.ts";
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
  /** The answer of the Error shape. */
  readonly refusal: (failure: Failure) => Response;
}

const TEXT = { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" };

/** Serves `GET /metrics` at a separate address. */
export function serveMetrics({
  sharesPort,
  token,
  series,
  refusal,
  ...address
}: MetricsOptions): Bun.Server<undefined> {
  return Bun.serve({
    ...address,
    development: false,
    reusePort: sharesPort,
    fetch(request) {
      const failure = problem(request, token);
      return failure ? refusal(failure) : new Response(exposition(series()), { headers: TEXT });
    },
  });
}

function problem({ url, method, headers }: Request, token: string | undefined): Failure | undefined {
  // HTTP/1.0 may send no Host, and a client one that makes no address.
  const { pathname } = URL.parse(url, "http://localhost") ?? {};
  if (pathname !== "/metrics") return new Failure("address-unknown", "Only /metrics is served here");
  if (method !== "GET" && method !== "HEAD") {
    const Allow = "GET, HEAD";
    return new Failure("method-not-allowed", `${method} is not allowed here; ${Allow} are`, { headers: { Allow } });
  }
  const given = headers.get("authorization");
  if (token === undefined || isSame(secretIn(given ?? "") ?? "", token)) return undefined;
  const code = given === null ? "token-missing" : "token-refused";
  return new Failure(code, "A scrape must send METRICS_TOKEN as its bearer token", {
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

/** Compares hashes, so that the time reveals nothing about the token. */
function isSame(given: string, expected: string): boolean {
  const [a, b] = [given, expected].map((text) => new Bun.CryptoHasher("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
