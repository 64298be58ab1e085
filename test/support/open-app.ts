import { newTokenSecret } from "#accounts/token-service.ts";
import type { Log } from "#core/log.ts";
import { Networks } from "#core/networks.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import type { Person } from "#core/person.ts";
import type { NewToken } from "#core/records.ts";
import { DEFAULT_SCOPES } from "#core/token.ts";
import { type App, createApp } from "#http/app.ts";
import { clientInfo } from "#http/client-info.ts";
import { newGuards } from "#http/guards.ts";
import type { MountedService } from "#http/mount.ts";
import { TokenCache } from "#http/token-cache.ts";
import { readSettings } from "#server/settings.ts";
import { openMcp } from "#server/threads/mcp.ts";
import { openReading } from "#server/threads/reading.ts";
import { openDashboard } from "#server/wiring/dashboard.ts";
import { openEventFeed } from "#server/wiring/event-feed.ts";
import { openWebhooks } from "#server/wiring/webhooks.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { secretHash } from "#storage/tokens.ts";
import { testCaller } from "./audit.ts";
import { newMigratedDatabase } from "./engines.ts";
import { SERVER } from "./request-context.ts";
import { temporaryFolder } from "./service.ts";
import { addAccount, type Holder } from "./test-account.ts";
import { PASSWORD, TestBrowser } from "./test-browser.ts";

const ORIGIN = "http://127.0.0.1:3000";

/** The routes of the service over a new SQLite file unless DATABASE_URL is set, in this process. Its jobs do not run. */
export interface OpenApp {
  readonly storage: Storage;
  readonly service: MountedService;
  /** Answers a request to a path. */
  send(path: string, request?: RequestInit): Promise<Response>;
  /** A new account that signs in with PASSWORD. */
  account(): Promise<Holder>;
  /** A browser that is not signed in. */
  stranger(): TestBrowser;
  /** A browser that is signed in to the account. */
  browser(account: Person): Promise<TestBrowser>;
  /** The secret of a new token. */
  token(account: Pick<Holder, "account">, more?: Partial<NewToken>): Promise<string>;
  close(): Promise<void>;
}

let accounts = 0;

export async function openApp(environment: Readonly<Record<string, string>> = {}): Promise<OpenApp> {
  const DATABASE_URL = environment.DATABASE_URL ?? (await newMigratedDatabase("sqlite", temporaryFolder()));
  const settings = readSettings({ ...environment, DATABASE_URL });
  const storage = await openStorage(settings.DATABASE_URL, { keepsEvents: settings.EVENTS_KEPT > 0 });
  const { records } = storage;
  const tokens = new TokenCache(records, secretHash);
  const { reads } = openReading(settings, storage, NO_OBSERVER);
  const parts = { storage, tokens, observer: NO_OBSERVER, assets: undefined, reads };
  const { mounts } = openDashboard(settings, parts);
  const mcp = openMcp(settings, () => app, NO_OBSERVER);
  const service: MountedService = {
    records,
    reads,
    tokens,
    guards: newGuards(settings.RATE_LIMIT, storage.requestCounts),
    eventFeed: openEventFeed(settings, storage, NO_OBSERVER).service,
    webhooks: openWebhooks(settings, storage, NO_OBSERVER, reads).service,
    log: SILENT,
    observation: { sinks: [], sampler: undefined, meter: NO_OBSERVER },
    clientInfoOf: clientInfo({
      baseUrl: undefined,
      proxies: new Networks([]),
      log: SILENT,
      peer: () => "127.0.0.1",
    }),
    isSecure: false,
    mounts: [...mounts, ...mcp.mounts],
    baseUrl: settings.BASE_URL,
    databaseIdentity: async () => "of this test",
    draining: false,
    leaving: new Set(),
  };
  const app: App = createApp(service);
  const answer = (request: Request) => answered(app, request);
  return {
    storage,
    service,
    send: (path, request) => answer(new Request(ORIGIN + path, request)),
    account: () => addAccount(storage, `app${++accounts}@example.test`),
    stranger: () => new TestBrowser({ url: ORIGIN, answer }),
    async browser({ email }) {
      const browser = new TestBrowser({ url: ORIGIN, answer });
      const { status } = await browser.signIn(email, PASSWORD);
      if (status !== 200) throw new Error(`Cannot sign in: ${status}`);
      return browser;
    },
    async token({ account: number }, more) {
      const secret = newTokenSecret();
      const token = { name: "Till", scopes: DEFAULT_SCOPES, expiresAt: undefined, ...more };
      await records.tokens.add(testCaller(number), token, secret);
      return secret;
    },
    async close() {
      mcp[Symbol.dispose]();
      await records.close();
    },
  };
}

/** Like the server: what is done with single plants does not go through the framework. */
function answered(app: App, request: Request): Promise<Response> {
  const { host, pathname } = new URL(request.url);
  if (!request.headers.has("host")) request.headers.set("Host", host);
  const [, collection = "", id = ""] = /^(.*)\/(-?\d+)$/.exec(pathname) ?? [];
  const plant = app.plants.get(collection)?.plant;
  const { method } = request;
  if (plant && (method === "GET" || method === "PATCH" || method === "DELETE"))
    return plant[method](request, SERVER, id);
  const create = method === "POST" ? app.plants.get(pathname)?.create : undefined;
  return create ? create(request, SERVER) : app.fetch(request, SERVER);
}

const SILENT: Log = { error() {}, warn() {}, info() {}, debug() {}, debugEnabled: false };
