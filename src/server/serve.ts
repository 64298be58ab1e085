import { VERSION } from "#contract/v1/version.ts";
import { VERSIONS } from "#contract/version.ts";
import { AnonymousThrottle } from "#http/anonymous-throttle.ts";
import { type App, createApp } from "#http/app.ts";
import { clientInfo } from "#http/client-info.ts";
import type { Service } from "#http/service.ts";
import { TokenCache } from "#http/token-cache.ts";
import { TrustedProxies } from "#http/trusted-proxies.ts";
import { UnfinishedBodies } from "#http/unfinished-bodies.ts";
import { JobRunner } from "#jobs/job-runner.ts";
import { MAIL_JOB } from "#mail/mail-job.ts";
import type { SummingLog } from "#observability/log.ts";
import { ServiceObserver } from "#observability/service-observer.ts";
import { openStorage } from "#storage/open.ts";
import { secretHash } from "#storage/tokens.ts";
import { WEBHOOK_DELIVERY_JOB } from "#webhooks/delivery-service.ts";
import { loadAssets } from "./assets.ts";
import { backupJobs } from "./backups.ts";
import { byMethod } from "./by-method.ts";
import { openDashboard } from "./dashboard.ts";
import { openEventFeed } from "./event-feed.ts";
import { mailJobs } from "./mail.ts";
import { mcpEndpoint } from "./mcp.ts";
import { type Observation, openObservation } from "./observation.ts";
import { createRateLimit } from "./rate-limit.ts";
import { requestJobs } from "./request-jobs.ts";
import type { Settings } from "./settings.ts";
import { TakeOver } from "./take-over.ts";
import { openWebhooks } from "./webhooks.ts";
import { welcomeSoon } from "./welcome.ts";

/**
 * The time for which a connection may stay without a request, and within which a request must arrive: the runtime
 * counts from the head, even if the body comes steadily. It is longer than the 60 s for which load balancers hold their
 * connections.
 */
const SILENCE_S_MAX = 75;

export interface Running {
  readonly server: Bun.Server<undefined>;
  readonly metricsServer: Bun.Server<undefined> | undefined;
  readonly service: Service;
  /** Stores the data still in memory and closes the store. */
  close(): Promise<void>;
}

const ABOUT = { version: VERSION, runtime: `Bun ${Bun.version}` };

/**
 * Opens the store and listens. Only here are the rooms wired together. Only a test passes other versions than those of
 * the contract.
 */
export async function serve(settings: Settings, log: SummingLog, versions = VERSIONS): Promise<Running> {
  const assets = await loadAssets(log);
  const observer = new ServiceObserver(log);
  const takeOver = settings.TAKE_OVER ? new TakeOver(settings, log) : undefined;
  const backups = backupJobs(settings, { observer, log });
  const storage = await openStorage(settings.DATABASE_URL, {
    observer,
    startsWithoutDatabase: true,
    keepsEvents: settings.EVENTS_KEPT > 0,
    sendsMail: settings.SMTP_URL !== undefined,
  });
  const { store } = storage;
  const tokens = new TokenCache(store, secretHash);
  const { authService, mounts } = openDashboard(settings, { storage, tokens, log, observer, assets, versions });
  const rateLimit = createRateLimit(settings.RATE_LIMIT, storage);
  const { BASE_URL: baseUrl } = settings;
  const peer = (request: Request) => server.requestIP(request)?.address;
  const clientInfoOf = clientInfo({ baseUrl, proxies: new TrustedProxies(settings.TRUSTED_PROXIES), peer });
  const feed = openEventFeed(settings, storage, observer);
  const webhooks = openWebhooks(settings, storage, observer, versions);
  const observation = await openObservation(settings, { observer, log, tokens, store, sinks: webhooks.sinks });
  const service: Service = {
    store,
    tokens,
    rateLimit,
    log,
    ...feed.service,
    unfinishedBodies: new UnfinishedBodies(),
    anonymousThrottle: new AnonymousThrottle(),
    webhooks: webhooks.service,
    ...observation.service,
    clientInfoOf,
    mayBeSecure: settings.TRUSTED_PROXIES.length > 0 || (baseUrl?.startsWith("https:") ?? false),
    mounts: settings.MCP === "on" ? [...mounts, mcpEndpoint(() => app)] : mounts,
    baseUrl,
    draining: false,
    handingOver: false,
  };
  if (takeOver) await storage.ready;
  const app = createApp(service, versions);
  const { server, metricsServer } = listenOnAll(observation, () => listen(settings, takeOver, app));
  const jobs = new JobRunner({ leases: store.leases, observer });
  const mail = mailJobs(settings, storage, observer);
  const purge = storage.audit.purgeJob(settings.AUDIT_KEPT);
  const others = [...backups, authService.job, purge, ...mail, ...observation.jobs];
  for (const job of [...storage.jobs, ...feed.jobs, ...webhooks.jobs, ...others]) jobs.start(job);
  for (const job of requestJobs(service, log)) jobs.start(job);
  storage.mail.onQueued = () => jobs.wake(MAIL_JOB);
  if (webhooks.delivery) webhooks.delivery.onChange = () => jobs.wake(WEBHOOK_DELIVERY_JOB);
  log.info({ url: server.url.origin, metrics: metricsServer?.url.href, ...ABOUT }, "listening");
  if (takeOver) {
    await store.writable();
    takeOver.complete(Number(server.port));
  }
  welcomeSoon(settings, { authService, log, address: server.url.origin });
  return {
    server,
    metricsServer,
    service,
    async close() {
      takeOver?.close();
      await jobs.close();
      await metricsServer?.stop(true);
      await store.close();
    },
  };
}

/** Listens on both addresses or on none, since a process that listens does not end. */
function listenOnAll(observation: Observation, listenToClients: () => Bun.Server<undefined>) {
  const metricsServer = observation.listen();
  try {
    return { server: listenToClients(), metricsServer };
  } catch (error) {
    void metricsServer?.stop(true);
    throw error;
  }
}

function listen(settings: Settings, takeOver: TakeOver | undefined, app: App): Bun.Server<undefined> {
  // The runtime's own limit would answer 413 with an empty body before the service sees the request.
  return Bun.serve({
    hostname: settings.HOST,
    port: takeOver?.port(settings) ?? settings.PORT,
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // In production mode the runtime shares the port unless told not to, and a port in use would go unnoticed.
    reusePort: settings.TAKE_OVER,
    idleTimeout: SILENCE_S_MAX,
    ...byMethod(app),
  });
}
