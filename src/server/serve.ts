import { isSecure } from "#core/client-info.ts";
import type { UnusableDatabase } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import { Networks } from "#core/networks.ts";
import { type App, createApp } from "#http/app.ts";
import { clientInfo } from "#http/client-info.ts";
import { newGuards } from "#http/guards.ts";
import type { MountedService } from "#http/mount.ts";
import type { ServiceParts } from "#http/service-parts.ts";
import { TokenCache } from "#http/token-cache.ts";
import { JobRunner } from "#jobs/job-runner.ts";
import { MAIL_JOB } from "#mail/mail-job.ts";
import type { SummingLog } from "#observability/log.ts";
import { ServiceObserver } from "#observability/service-observer.ts";
import { auditLinesJob } from "#storage/audit-lines.ts";
import { auditRetentionJob } from "#storage/audit-retention.ts";
import { databaseIdentity } from "#storage/database-identity.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { secretHash } from "#storage/tokens.ts";
import { newMark } from "#threads/process-mark.ts";
import { WEBHOOK_DELIVERY_JOB } from "#webhooks/delivery-service.ts";
import { loadAssets } from "./bundle/assets.ts";
import { byMethod } from "./listening/by-method.ts";
import type { Https, HttpsParts } from "./listening/https.ts";
import { Listeners } from "./listening/listeners.ts";
import { warnOfOtherServices } from "./process/other-services.ts";
import { RELEASE } from "./process/release.ts";
import { type TakenOver, TakeOver } from "./process/take-over.ts";
import { welcomeSoon } from "./process/welcome.ts";
import { hostsOf, isHttps, type Settings } from "./settings.ts";
import { openMcp } from "./threads/mcp.ts";
import { openReading } from "./threads/reading.ts";
import { backupJobs } from "./wiring/backup-jobs.ts";
import { openDashboard } from "./wiring/dashboard.ts";
import { quietInDrill } from "./wiring/drill.ts";
import { openEventFeed } from "./wiring/event-feed.ts";
import { mailJobs } from "./wiring/mail.ts";
import { openObservation } from "./wiring/observation.ts";
import { requestJobs } from "./wiring/request-jobs.ts";
import { openWebhooks } from "./wiring/webhooks.ts";

export interface Running {
  readonly server: Listeners;
  readonly metricsServer: Bun.Server<undefined> | undefined;
  readonly service: MountedService;
  readonly takenOver: TakenOver | undefined;
  /** Starts no further job, and tells those that run to end. */
  stopJobs(): void;
  /** Stores the data still in memory, stops listening and closes the store. */
  close(): Promise<void>;
}

const ABOUT = { version: RELEASE, runtime: `Bun ${Bun.version}` };

interface ServeOptions {
  /** Ends the program, since it cannot serve the database. */
  readonly onUnusable?: (reason: UnusableDatabase) => void;
  /** Aborted if the service is to stop before it listens; the promise is then rejected with its reason. */
  readonly signal?: AbortSignal;
}

/** Opens the store and listens, or closes what it has opened. The parts of a server are wired together here alone. */
export async function serve(
  given: Settings,
  log: SummingLog,
  { signal, onUnusable = () => {} }: ServeOptions = {},
): Promise<Running> {
  signal?.throwIfAborted();
  await using opened = new AsyncDisposableStack();
  const assets = await loadAssets(log);
  const observer = new ServiceObserver(log);
  const takeOver = given.TAKE_OVER ? await TakeOver.begin(given, log, signal) : undefined;
  opened.defer(() => takeOver?.close());
  const scheduled = await backupJobs(given, { observer, log });
  const https = opened.use(await openHttps(given, { log, observer }));
  const storage = await openStorage(given.DATABASE_URL, {
    ...{ observer, onUnusable, startsWithoutDatabase: true, upgrades: true },
    keepsEvents: given.EVENTS_KEPT > 0,
    sendsMail: given.SMTP_URL !== undefined,
  });
  const { records } = storage;
  opened.defer(() => records.close());
  const { settings, backups, ...calls } = await quietInDrill(storage, log, { settings: given, backups: scheduled });
  const tokens = new TokenCache(records, secretHash);
  const { reads } = opened.use(openReading(settings, storage, observer));
  const { authService, mounts } = openDashboard(settings, { storage, tokens, observer, assets, reads });
  const mcp = opened.use(openMcp(settings, () => app, observer));
  const feed = openEventFeed(settings, storage, observer);
  const webhooks = openWebhooks(settings, storage, observer, reads);
  opened.defer(() => endOf([feed.begun, webhooks.begun], storage));
  const observation = await openObservation(settings, { observer, log, tokens, records, sinks: webhooks.sinks });
  const service: MountedService = {
    ...{ records, reads, tokens },
    databaseIdentity: databaseIdentity(given.DATABASE_URL, storage.db),
    guards: newGuards(settings.RATE_LIMIT, storage.requestCounts),
    eventFeed: feed.service,
    webhooks: webhooks.service,
    log,
    observation: observation.service,
    ...clients(settings, log, (request) => server.addressOf(request)),
    mounts: [...mounts, ...mcp.mounts],
    draining: false,
    leaving: new Set(),
  };
  if (takeOver) await storage.ready;
  const app = createApp(service);
  signal?.throwIfAborted();
  const metricsServer = observation.listen();
  opened.defer(() => metricsServer?.stop(true));
  const server = opened.use(listen(settings, { takeOver, https, app, service }));
  const sending = calls.quiet([...webhooks.jobs, ...mailJobs(settings, storage, observer)]);
  const ofParts = [...storage.jobs, ...feed.jobs, ...sending, ...observation.jobs];
  const timed = [...backups.jobs(storage), ...auditJobs(settings, storage, observer), ...requestJobs(service, log)];
  const jobs = new JobRunner({ leases: records.leases, observer, holder: newMark() });
  opened.defer(() => jobs.close());
  for (const job of [...ofParts, ...timed, ...(https?.jobs(storage.mail, calls) ?? [])]) jobs.start(job);
  storage.mail.onQueued = () => jobs.wake(MAIL_JOB);
  if (webhooks.delivery) webhooks.delivery.onChange = () => jobs.wake(WEBHOOK_DELIVERY_JOB);
  log.always.info({ url: server.origin || undefined, metrics: metricsServer?.url.href, ...ABOUT }, "listening");
  void backups.tryOut(storage);
  if (takeOver) await records.writable();
  const takenOver = takeOver?.complete(server.port);
  warnOfOtherServices(settings, takenOver, log);
  welcomeSoon(settings, { authService, log, address: server.origin });
  const running = opened.move();
  return {
    ...{ server, metricsServer, service, takenOver },
    stopJobs: () => jobs.stop(),
    close: () => running.disposeAsync(),
  };
}

function auditJobs({ AUDIT_KEPT }: Settings, storage: Storage, observer: ServiceObserver): Job[] {
  return [auditRetentionJob(storage, AUDIT_KEPT), auditLinesJob(storage.db, observer)];
}

/** Tasks begun at the start use the store, which closes after them. While the database is out of reach, nothing has begun. */
async function endOf(begun: readonly unknown[], { ready }: Pick<Storage, "ready">): Promise<void> {
  if (Bun.peek.status(ready) === "fulfilled") await Promise.all(begun);
}

/** Loads nothing and gives undefined if the service does not speak HTTPS itself. */
async function openHttps(settings: Settings, parts: HttpsParts): Promise<Https | undefined> {
  return isHttps(settings) ? new (await import("./listening/https.ts")).Https(settings, parts) : undefined;
}

interface Listening {
  readonly takeOver: TakeOver | undefined;
  readonly https: Https | undefined;
  readonly app: App;
  readonly service: MountedService;
}

function listen(settings: Settings, { takeOver, https, app, service }: Listening): Listeners {
  const server = new Listeners({
    hosts: hostsOf(settings),
    port: takeOver?.port(settings) ?? settings.PORT,
    sharesPort: settings.TAKE_OVER,
    serve: byMethod(app),
    leaving: service.leaving,
  });
  if (https) https.listen(server);
  else server.listen();
  return server;
}

function clients(
  settings: Settings,
  log: SummingLog,
  peer: (request: Request) => string | undefined,
): Pick<ServiceParts, "clientInfoOf" | "isSecure" | "baseUrl"> {
  const { BASE_URL: baseUrl, TRUSTED_PROXIES: trusted } = settings;
  const own = isHttps(settings) ? "https:" : "http:";
  const clientInfoOf = clientInfo({ baseUrl, proxies: new Networks(trusted), log, peer });
  // A trusted proxy says of each request how it came, unless there is one public address.
  const byRequest = baseUrl === undefined && trusted.length > 0;
  return { clientInfoOf, isSecure: byRequest ? undefined : isSecure(baseUrl ?? own), baseUrl };
}
