import { shapeOf } from "#contract/version.ts";
import { NO_OBSERVER, type Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { FeedPosition } from "#core/reads.ts";
import { waitingSince } from "#events/waiting-since.ts";
import { JobRunner } from "#jobs/job-runner.ts";
import { toEnd } from "#load/in-turns.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { WebhookWork } from "#storage/webhook-work.ts";
import { AllowedNetworks, systemLookup } from "#webhooks/address.ts";
import { DeliveryService } from "#webhooks/delivery-service.ts";
import { SecretSealer } from "#webhooks/sealed-secret.ts";
import { Webhooks } from "#webhooks/webhook-service.ts";
import { MemoryLeases } from "./memory-leases.ts";

/** A node that delivers webhooks, with leases that end sooner than those of a service. */
export interface WebhookNode {
  readonly api: Webhooks;
  readonly delivery: DeliveryService;
  readonly jobs: JobRunner;
}

/** Delivers nothing until its delivery job is started. */
export function openWebhookNode(storage: Storage, databaseUrl: string, observer: Observer = NO_OBSERVER): WebhookNode {
  const { events } = storage.records;
  const sealer = Promise.resolve(new SecretSealer("a secret of at least thirty-two characters"));
  const networks = ["127.0.0.0/8"];
  const delivery = new DeliveryService({
    work: new WebhookWork(storage),
    events,
    sealer,
    observer,
    worker: { databaseUrl, networks, proxy: undefined, traceRatio: undefined },
    isAlone: false,
    leaseMs: 1500,
    renewEveryMs: 300,
  });
  const endpoints = new WebhookEndpoints(storage);
  const allowed = new AllowedNetworks(networks);
  const parts = {
    endpoints,
    events,
    sealer,
    delivery,
    networks: allowed,
    lookup: systemLookup,
    shapeOf,
    waitingSince: async (account: AccountNumber, positions: readonly FeedPosition[]) =>
      toEnd(waitingSince(storage.reads.events, account, { positions, until: await events.recent() })),
  };
  return {
    api: new Webhooks(parts),
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
