import { HOUR_MS } from "#core/duration.ts";
import type { EventRecords } from "#core/event.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { ReadingThreads } from "#http/reading/functions.ts";
import { SecretSealer } from "#storage/sealed-secret.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { WebhookLeases } from "#storage/webhook-leases.ts";
import { WebhookProgress } from "#storage/webhook-progress.ts";
import { AllowedNetworks, systemLookup } from "#webhooks/address.ts";
import { DeliveryService } from "#webhooks/delivery-service.ts";
import { type WebhookReads, WebhookService } from "#webhooks/webhook-service.ts";
import type { Settings } from "../settings.ts";

/** Webhooks and their delivery; nothing of it if they, or the feed behind them, are turned off. */
export function openWebhooks(settings: Settings, storage: Storage, observer: Observer, reads: ReadingThreads) {
  const { WEBHOOKS, EVENTS_KEPT, WEBHOOK_NETWORKS: networks, WEBHOOK_PROXY: proxy, DATABASE_URL, SECRET } = settings;
  if (WEBHOOKS === "off" || EVENTS_KEPT === 0) return { jobs: [], sinks: [] };
  const { events } = storage.records;
  const sealer = storage.ready.then(async () => {
    return new SecretSealer(SECRET ?? (await keptSecret(storage)), "webhook secrets", settings.SECRET_UNTRIMMED);
  });
  const begun = sealer.catch((error) => observer.failed("webhooks", error));
  const [leases, progress] = [new WebhookLeases(storage), new WebhookProgress(storage)];
  const traceRatio = settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined ? undefined : settings.OTEL_TRACES_SAMPLER_ARG;
  const worker = { databaseUrl: DATABASE_URL, networks, proxy, traceRatio };
  const delivery = new DeliveryService({ leases, progress, events, sealer, observer, worker });
  const service = new WebhookService({
    endpoints: new WebhookEndpoints(storage),
    events,
    sealer,
    delivery,
    networks: new AllowedNetworks(networks),
    reads: webhookReads(reads, events),
    lookup: proxy === undefined ? systemLookup : undefined,
  });
  const tidy: Job = {
    name: "webhook-log",
    intervalMs: HOUR_MS,
    exclusive: true,
    run: ({ now }) => progress.tidy(now),
  };
  return { service, delivery, jobs: [delivery.job, tidy], sinks: [delivery.causes], begun };
}

export function webhookReads(reads: ReadingThreads, events: EventRecords): WebhookReads {
  return {
    waitingSince: async (by, positions) =>
      reads.ask(by, "waitingSince", { account: by.account, positions, until: await events.recent() }),
    replayedEvents: (by, endpoint, replay) =>
      reads.ask(by, "replayedEvents", { account: by.account, endpoint, replay }),
    deliveryPage: async (by, endpoint, query) => (await reads.ask(by, "deliveryPage", { endpoint, query })).bytes,
  };
}

function keptSecret({ records }: Storage): Promise<string> {
  return records.keptSecret("webhooks", () =>
    Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url"),
  );
}
