import { createApp } from "#http/app.ts";
import { KnownTokens } from "#http/known-tokens.ts";
import type { Service } from "#http/service.ts";
import { openStorage } from "#storage/open.ts";
import { secretHash } from "#storage/tokens.ts";
import { createLog } from "./log.ts";
import type { Settings } from "./settings.ts";

export async function serve(settings: Settings): Promise<void> {
  const log = createLog(settings);
  const { store } = await openStorage(settings.DATABASE_URL);
  const service: Service = {
    store,
    log,
    rateLimit: undefined,
    draining: false,
    mounts: [],
    tokens: new KnownTokens(store.tokens, secretHash),
  };
  const server = Bun.serve({
    hostname: settings.HOST,
    port: settings.PORT,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    fetch: createApp(service),
  });
  console.log(`http://${server.hostname}:${server.port}`);
}
