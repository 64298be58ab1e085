import { createApp, type Fetch } from "#http/app.ts";
import { KnownTokens } from "#http/known-tokens.ts";
import type { Log, Service } from "#http/service.ts";
import { openStorage } from "#storage/open.ts";
import { secretHash } from "#storage/tokens.ts";
import { createRateLimit } from "./rate-limit.ts";
import type { Settings } from "./settings.ts";
import { welcome } from "./welcome.ts";

const LAST_USED_KEPT_EVERY_MS = 2000;

export interface Running {
  readonly server: Bun.Server<undefined>;
  readonly service: Service;
  /** Keeps what is still in memory and closes the store. */
  close(): Promise<void>;
}

/** Opens the store and listens: the one place that wires the rooms. */
export async function serve(settings: Settings, log: Log): Promise<Running> {
  const { store } = await openStorage(settings.DATABASE_URL);
  const tokens = new KnownTokens(store.tokens, secretHash);
  const rateLimit = createRateLimit(settings.RATE_LIMIT);
  const { BASE_URL: baseUrl } = settings;
  const service: Service = { store, tokens, rateLimit, log, mounts: [], baseUrl, draining: false };
  const server = listen(settings, createApp(service));
  const keeping = setInterval(() => void keepLastUsed(tokens, log), LAST_USED_KEPT_EVERY_MS);
  log.info({ url: server.url.origin, version: process.versions.bun }, "listening");
  welcome(settings, server.url.origin);
  return {
    server,
    service,
    async close() {
      clearInterval(keeping);
      await keepLastUsed(tokens, log);
      await store.close();
    },
  };
}

function listen(settings: Settings, fetch: Fetch): Bun.Server<undefined> {
  // The runtime's own limit would answer 413 with an empty body before any code of ours runs.
  return Bun.serve({
    hostname: settings.HOST,
    port: settings.PORT,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // In production mode the runtime shares the port unless told not to, and a port in use would not show.
    reusePort: false,
    fetch,
  });
}

async function keepLastUsed(tokens: KnownTokens, log: Log): Promise<void> {
  try {
    await tokens.keepLastUsed();
  } catch (error) {
    log.warn({ err: error }, "could not keep when tokens were last used");
  }
}
