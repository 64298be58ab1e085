import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import { readingFunctions } from "#http/reading/functions.ts";
import { JobRunner } from "#jobs/job-runner.ts";
import { FairQueue } from "#load/fair-queue.ts";
import { Lanes } from "#load/lanes.ts";
import { READING_ON_SQLITE } from "#server/threads/reading.ts";
import { webhookReads } from "#server/wiring/webhooks.ts";
import { openStorage } from "#storage/open.ts";
import { SecretSealer } from "#storage/sealed-secret.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { WebhookLeases } from "#storage/webhook-leases.ts";
import { WebhookProgress } from "#storage/webhook-progress.ts";
import { inPlace } from "#threads/channel.ts";
import { AllowedNetworks, systemLookup } from "#webhooks/address.ts";
import { DeliveryService } from "#webhooks/delivery-service.ts";
import { WebhookService } from "#webhooks/webhook-service.ts";
import { MemoryLeases } from "./memory-leases.ts";

/** A node that delivers webhooks, with leases that end sooner than those of a service. */
export interface WebhookNode {
  readonly api: WebhookService;
  readonly delivery: DeliveryService;
  readonly jobs: JobRunner;
}

/** Delivers nothing until its delivery job is started. */
export function openWebhookNode(storage: Storage, databaseUrl: string, observer: Observer = NO_OBSERVER): WebhookNode {
  const { events } = storage.records;
  const sealer = Promise.resolve(new SecretSealer("a secret of at least thirty-two characters", "webhook secrets"));
  const networks = ["127.0.0.0/8"];
  const delivery = new DeliveryService({
    leases: new WebhookLeases(storage),
    progress: new WebhookProgress(storage),
    events,
    sealer,
    observer,
    worker: { databaseUrl, networks, proxy: undefined, traceRatio: undefined },
    leaseMs: 1500,
    renewEveryMs: 300,
  });
  const endpoints = new WebhookEndpoints(storage);
  const allowed = new AllowedNetworks(networks);
  const functions = readingFunctions({ reads: storage.reads, loggedSuccessesMax: 0 });
  const reading = new Lanes(new FairQueue(READING_ON_SQLITE), Array(READING_ON_SQLITE.all).fill(inPlace(functions)));
  const parts = {
    endpoints,
    events,
    sealer,
    delivery,
    networks: allowed,
    lookup: systemLookup,
    reads: webhookReads(reading, events),
  };
  return {
    api: new WebhookService(parts),
    delivery,
    jobs: new JobRunner({ leases: new MemoryLeases(), observer }),
  };
}

// Runs as a separate process, over the database in its argument.
if (import.meta.main) {
  const url = process.argv[2] ?? "";
  const { jobs, delivery } = openWebhookNode(await openStorage(url), url);
  jobs.start(delivery.job);
}
