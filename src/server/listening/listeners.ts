import type { HttpServer } from "#http/service-parts.ts";
import { LimitGroup } from "#load/limit-row.ts";
import type { byMethod } from "./by-method.ts";
import { preferNewestListener } from "./newest-listener.ts";

/**
 * The runtime counts from a request's head, even if its body comes steadily. It is longer than the 60 s for which load
 * balancers hold their connections. The number of connections is that of `ulimit -n`.
 */
const SILENCE = new LimitGroup("descriptors", "process_open_fds", "closed").row("silence of a connection", "anybody", {
  each: 75_000,
  unit: "ms",
});

type Server = Bun.Server<undefined>;

interface ListenersOptions {
  readonly hosts: readonly string[];
  /** 0 for any that is free. */
  readonly port: number;
  /** True if another process may listen on the same port. */
  readonly sharesPort: boolean;
  readonly serve: ReturnType<typeof byMethod> | { fetch(request: Request): Response };
  /** Filled with those whose answers tell clients to connect anew. */
  readonly leaving?: Set<HttpServer>;
}

/**
 * The sockets that the service listens on, one for each address. For a new certificate others are opened on the same
 * port, since the runtime cannot change that of a socket. The old ones go on for a second, in which their clients are told
 * to connect anew, then take no more connections, and end with their last request.
 */
export class Listeners implements AsyncDisposable {
  readonly #open = new Set<Server>();
  #current: readonly Server[] = [];

  constructor(private readonly options: ListenersOptions) {}

  /** Returns the addresses that it listened at before and could not open again. */
  listen(tls?: { readonly cert: string; readonly key: string }): readonly string[] {
    const before = this.#current;
    this.#current = this.#opened(tls);
    for (const server of before) void this.#leave(server);
    const open = this.#current.map(({ hostname }) => hostname);
    return before.flatMap(({ hostname }) => (open.includes(hostname) ? [] : (hostname ?? [])));
  }

  /** Resolves when nothing is listened on any more; requests may go on. */
  async leave(): Promise<void> {
    await Promise.all(this.#current.map((server) => this.#leave(server)));
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#open].map((server) => server.stop(true)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  get pendingRequests(): number {
    return [...this.#open].reduce((sum, server) => sum + server.pendingRequests, 0);
  }

  /** Its own address, and none that has to be public; "" until it listens. */
  get origin(): string {
    return this.#current[0]?.url.origin ?? "";
  }

  get port(): number {
    return this.#current[0]?.port ?? this.options.port;
  }

  addressOf(request: Request): string | undefined {
    return this.#current[0]?.requestIP(request)?.address;
  }

  #opened(tls: { readonly cert: string; readonly key: string } | undefined): Server[] {
    const { hosts, sharesPort, serve } = this.options;
    const opened: Server[] = [];
    const reusePort = sharesPort || tls !== undefined;
    for (const hostname of hosts) {
      try {
        const server = Bun.serve({
          hostname,
          port: opened[0]?.port ?? this.port,
          // The runtime's own limit would answer 413 with an empty body before the service sees the request.
          maxRequestBodySize: Number.MAX_SAFE_INTEGER,
          development: false,
          // Bun's production mode shares the port by default, and a port in use would go unnoticed.
          reusePort,
          // An IPv4 client would have an address of IPv6 otherwise.
          ipv6Only: hosts.length > 1 && hostname.includes(":"),
          idleTimeout: SILENCE.each / 1000,
          ...(tls && { tls: { cert: tls.cert, key: tls.key } }),
          ...serve,
        });
        this.#open.add(server);
        opened.push(server);
      } catch (error) {
        // A machine may have no IPv6.
        if (opened.length === 0) throw error;
      }
    }
    if (reusePort) preferNewestListener();
    return opened;
  }

  async #leave(server: Server): Promise<void> {
    const { leaving } = this.options;
    leaving?.add(server);
    await Bun.sleep(1000);
    // Idle connections end here, as they would after a long silence.
    const ended = server.stop(false);
    void ended.finally(() => {
      leaving?.delete(server);
      this.#open.delete(server);
    });
  }
}
