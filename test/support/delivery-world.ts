import { webhookSecret } from "#contract/webhook-signature.ts";
import type { EventQuery, PlantEvent } from "#core/event.ts";
import type { EndpointProgress, Replay, Retry } from "#storage/webhook-outcomes.ts";
import type { AttemptResult, Outgoing } from "#webhooks/attempt.ts";
import type { DeliveryParts, HeldEndpoint } from "#webhooks/delivery-parts.ts";
import { DeliveryTraces } from "#webhooks/delivery-traces.ts";
import type { EndpointDelivery } from "#webhooks/endpoint-delivery.ts";
import { HEALTHY } from "#webhooks/endpoint-health.ts";

/** The world of a queue with its clock in the test's hand: a feed, the rows of retries, and a receiver. */
export class DeliveryWorld implements DeliveryParts {
  time = 1_000_000;
  readonly feed: PlantEvent[] = [];
  readonly rows = new Map<bigint, Retry>();
  readonly replaying: Replay[] = [];
  readonly sent: string[] = [];
  status = 200;
  retryAfterMs: number | undefined;
  #held: Promise<void> | undefined;
  kept: EndpointProgress | undefined;
  #timers: { time: number; act: () => void }[] = [];

  /** True while the database cannot be read. */
  isOut = false;

  readonly events = {
    read: async (_account: number, { after, limit, until = 10n ** 9n }: EventQuery) => {
      this.#read();
      const found = this.feed.filter(({ number }) => number > after && number <= until);
      const events = found.slice(0, limit);
      const more = found.length > limit;
      return { events, more, next: more ? (events.at(-1)?.number ?? after) : until };
    },
    find: async (_account: number, number: bigint) => {
      this.#read();
      return this.feed.find((event) => event.number === number);
    },
    oldest: async () => 0n,
  };
  readonly progress = {
    lastSequence: async () => this.kept?.log.at(-1)?.sequence ?? 0,
    waiting: async (_id: string, limit: number, byNumber = false) => {
      this.#read();
      const order = (a: Retry, b: Retry) => (byNumber ? Number(a.number - b.number) : a.nextAt - b.nextAt);
      const retries = [...this.rows.values()].sort(order).slice(0, limit);
      const read = { count: this.rows.size, retries, replays: [...this.replaying] };
      await this.arrival();
      return read;
    },
  };
  async arrival(): Promise<void> {}

  readonly bodies: string[] = [];
  readonly sentTo: string[] = [];
  readonly shapeOf = (version: string) => ({
    webhookEventBody: ({ number }: PlantEvent) => `event ${number} of ${version}`,
    noticeBody: () => `notice of ${version}`,
  });
  readonly traces = new DeliveryTraces(undefined);
  readonly now = () => this.time;
  readonly random = () => 0.5;

  readonly turn = (_account: number, task: () => Promise<void>): Promise<void> => task();

  readonly send: DeliveryParts["send"] = async ({ url, headers, body }: Outgoing): Promise<AttemptResult> => {
    this.sent.push(headers["webhook-id"] ?? "");
    this.sentTo.push(url);
    this.bodies.push(body);
    await this.#held;
    const succeeded = this.status < 300;
    const error = succeeded ? undefined : ("http_status" as const);
    return { succeeded, httpStatus: this.status, error, ms: 1, retryAfterMs: this.retryAfterMs, excerpt: undefined };
  };

  #read(): void {
    if (this.isOut) throw new Error("the database is out of reach");
  }

  readonly at = (time: number, act: () => void): (() => void) => {
    const timer = { time, act };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((each) => each !== timer);
    };
  };

  readonly failed = (error: unknown): void => {
    if (!this.isOut) throw error;
  };

  /** Holds answers back until the returned function is called. */
  holdAnswers(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held = promise;
    return resolve;
  }

  get timers(): number {
    return this.#timers.length;
  }

  add(count: number): bigint {
    for (let at = 0; at < count; at++) {
      const number = BigInt(this.feed.length + 1);
      const plant = { id: number, name: "x", tag: undefined, createdAt: 0, updatedAt: 0 };
      this.feed.push({ number, type: "plant.created", at: 0, plant, previous: undefined });
    }
    return BigInt(this.feed.length);
  }

  /** Lets everything that needs no time happen, and keeps it as the store would. */
  async settle(delivery: EndpointDelivery): Promise<void> {
    for (let quiet = 0; quiet < 3; ) {
      for (let turn = 0; turn < 50; turn++) await Promise.resolve();
      const progress = delivery.takeProgress();
      quiet = progress ? 0 : quiet + 1;
      if (!progress) continue;
      this.keepRows(progress);
      this.kept = { ...progress, log: [...(this.kept?.log ?? []), ...progress.log] };
      delivery.settled(false);
    }
  }

  protected keepRows({
    attempted,
    retries,
    replayed,
  }: Pick<EndpointProgress, "attempted" | "retries" | "replayed">): void {
    for (const { number, attempts, nextAt } of attempted) {
      const row = this.rows.get(number);
      if (row?.attempts === attempts && row.nextAt === nextAt) this.rows.delete(number);
    }
    for (const retry of retries) if (!this.rows.has(retry.number)) this.rows.set(retry.number, retry);
    for (const { number, nextAt } of replayed) {
      const row = this.rows.get(number);
      this.rows.set(number, { number, attempts: 0, nextAt: row && row.nextAt <= nextAt ? row.nextAt - 1 : nextAt });
    }
  }

  /** Moves the clock on, timer by timer. */
  async pass(ms: number, delivery: EndpointDelivery): Promise<void> {
    const end = this.time + ms;
    await this.settle(delivery);
    while (this.ring(end)) await this.settle(delivery);
    this.time = end;
  }

  /** Moves the clock on to the next timer. Returns false if there is none until that time. */
  ring(end: number): boolean {
    const [next] = this.#timers.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time);
    if (!next) return false;
    this.#timers = this.#timers.filter((each) => each !== next);
    this.time = Math.max(this.time, next.time);
    next.act();
    return true;
  }
}

const secret = webhookSecret(new Uint8Array(32));
export const heldEndpoint = (more: Partial<HeldEndpoint> = {}): HeldEndpoint => ({
  id: "we_1",
  account: 1,
  url: "https://shop.example.com/",
  types: undefined,
  delivery: "each",
  version: "1.0.0",
  position: 0n,
  revision: 1,
  secrets: [{ secret, expiresAt: undefined }],
  restartRevision: 1,
  ...HEALTHY,
  ...more,
});
