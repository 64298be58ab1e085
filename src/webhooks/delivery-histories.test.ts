import { expect, test } from "bun:test";
import fc from "fast-check";
import { HOUR_MS } from "#core/duration.ts";
import { eventNumber } from "#core/event.ts";
import type { EndpointHealth } from "#storage/webhook-outcomes.ts";
import { DeliveryWorld, heldEndpoint } from "#test/support/delivery-world.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import { EndpointDelivery } from "./endpoint-delivery.ts";
import { HEALTHY } from "./endpoint-health.ts";

/** 500 by default; more with `HISTORIES=5000 npx bun test src/webhooks/delivery-histories.test.ts`. */
const HISTORIES = Number(process.env.HISTORIES ?? 500);
/** Fewer than the ten after which an event is given up. */
const FAILURES_OF_EVENT_MAX = 5;
const WAITS_MS = [100, 1000, 6000, 400_000, HOUR_MS] as const;
const OK = { succeeded: true, httpStatus: 200, error: undefined, ms: 1, retryAfterMs: undefined, excerpt: undefined };
const NOT_OK = { ...OK, succeeded: false, httpStatus: 500, error: "http_status" } as const;

interface Request {
  readonly number: bigint;
  /** Counts the requests from the first on. */
  readonly at: number;
  readonly answer: (result: AttemptResult) => void;
}

/** One endpoint with its rows on disk, the nodes that deliver to it one after the other, and its receiver. */
class History extends DeliveryWorld {
  readonly #disk = { position: 0n, revision: 1, restartRevision: 1, health: HEALTHY as EndpointHealth };
  #open: Request[] = [];
  #requests = 0;
  readonly #failures = new Map<bigint, number>();
  /** The last request of each event that was answered with success. */
  readonly #delivered = new Map<bigint, number>();
  /** The next request of each event when it was last to be replayed. */
  readonly #promised = new Map<bigint, number>();
  /** A node that has lost the endpoint and does not know it yet. */
  #former: EndpointDelivery | undefined;

  /** True from a change that ends the delivery until its outcomes are on disk. */
  #isEnding = false;
  #isSlow = false;
  #reads = Promise.withResolvers<void>();

  /** What was read may be old when it arrives. */
  override async arrival(): Promise<void> {
    if (this.#isSlow) await this.#reads.promise;
  }

  override readonly send = ({ headers }: Outgoing): Promise<AttemptResult> => {
    const number = eventNumber(headers["webhook-id"] ?? "") ?? 0n;
    return new Promise((answer) => this.#open.push({ number, at: this.#requests++, answer }));
  };
  #node = this.#newNode();

  /** What may happen, in any order. `pick` chooses among what there is. */
  readonly steps = {
    commit: (pick: number) => this.#node.wake(this.add(1 + (pick % 3))),
    succeed: (pick: number) => this.#answer(pick, true),
    fail: (pick: number) => this.#answer(pick, false),
    "fail 20": (pick: number) => {
      for (let count = 0; count < 20; count++) this.#answer(pick, false);
    },
    wait: (pick: number) => {
      const end = this.time + (WAITS_MS[pick % WAITS_MS.length] ?? 0);
      while (this.ring(end));
      this.time = end;
    },
    store: () => {
      this.#store(this.#node);
      if (this.#isEnding) this.#node = this.#newNode();
    },
    look: () => this.#look(),
    "replay one": (pick: number) => {
      const event = this.feed[pick % Math.max(1, this.feed.length)];
      if (event) this.#replay([event.number]);
    },
    "replay all": () => {
      if (this.feed.length === 0) return;
      const until = BigInt(this.feed.length);
      this.replaying.push({
        id: `rpl_${this.replaying.length}${this.#disk.revision}`,
        position: 0n,
        until,
        types: undefined,
      });
      this.#disk.revision++;
      for (const { number } of this.feed) this.#promised.set(number, this.#requests);
    },
    "change the address": () => {
      this.#disk.revision++;
      this.#node.drop();
      this.#isEnding = true;
    },
    "lose the lease": () => {
      this.#former?.drop();
      this.#former = this.#node;
      this.#node = this.#newNode(true);
    },
    "learn of the loss": () => {
      this.#former?.drop();
      if (this.#former) this.#store(this.#former);
      this.#former = undefined;
    },
    kill: () => {
      this.#node.drop();
      this.#node = this.#newNode(true);
    },
    "kill after storing": () => {
      this.#store(this.#node, false);
      this.steps.kill();
    },
    "read slowly": () => {
      this.#reads.resolve();
      this.#isSlow = !this.#isSlow;
      if (this.#isSlow) this.#reads = Promise.withResolvers();
    },
    "lose the database": () => {
      this.isOut = !this.isOut;
    },
  } as const;

  async take(kind: keyof History["steps"], pick: number): Promise<void> {
    this.steps[kind](pick);
    for (let turn = 0; turn < 40; turn++) await Promise.resolve();
  }

  /** Whatever was to be sent is sent and on disk, once the receiver and the database work. */
  async end(): Promise<void> {
    this.isOut = false;
    await this.take("learn of the loss", 0);
    if (this.#isSlow) await this.take("read slowly", 0);
    for (let round = 0; round < 60; round++) {
      for (const kind of ["look", "succeed", "succeed", "store", "wait"] as const) {
        while (kind === "succeed" && this.#open.length > 0) await this.take(kind, 0);
        await this.take(kind, 4);
      }
    }
    const all = this.feed.map(({ number }) => number);
    expect(all.filter((number) => !this.#delivered.has(number))).toEqual([]);
    const lost = [...this.#promised].filter(([number, since]) => (this.#delivered.get(number) ?? -1) < since);
    expect(lost).toEqual([]);
    expect([this.#disk.position, this.rows.size, this.replaying.length]).toEqual([BigInt(all.length), 0, 0]);
  }

  async endByRemoval(): Promise<void> {
    this.#node.drop();
    this.#former?.drop();
    const requests = this.#requests;
    for (const kind of ["commit", "succeed", "fail", "wait", "wait", "wait", "succeed"] as const)
      await this.take(kind, 3);
    expect(this.#requests).toBe(requests);
  }

  #newNode(isAnew = false): EndpointDelivery {
    this.#isEnding = false;
    if (isAnew) this.#disk.restartRevision = ++this.#disk.revision;
    const { health, ...members } = this.#disk;
    const node = new EndpointDelivery(heldEndpoint({ ...members, ...health }), this);
    node.wake(BigInt(this.feed.length));
    return node;
  }

  #look(): void {
    if (this.#isEnding || this.#node.endpoint.revision === this.#disk.revision) return;
    this.#node.update({ ...this.#node.endpoint, revision: this.#disk.revision });
  }

  #answer(pick: number, succeeds: boolean): void {
    const [request] = this.#open.splice(pick % Math.max(1, this.#open.length), 1);
    if (!request) return;
    const { number, at, answer } = request;
    const failures = this.#failures.get(number) ?? 0;
    if (!succeeds && failures < FAILURES_OF_EVENT_MAX) {
      this.#failures.set(number, failures + 1);
      answer(NOT_OK);
      return;
    }
    this.#delivered.set(number, Math.max(at, this.#delivered.get(number) ?? -1));
    answer(OK);
  }

  #replay(numbers: readonly bigint[]): void {
    const replayed = numbers.map((number) => ({ number, attempts: 0, nextAt: this.time }));
    this.keepRows({ attempted: [], retries: [], replayed });
    this.#disk.revision++;
    for (const number of numbers) this.#promised.set(number, this.#requests);
  }

  /** As the storage stores progress. */
  #store(node: EndpointDelivery, isAcknowledged = true): void {
    const progress = node.takeProgress();
    if (!progress) return;
    const { revision, position, status, reason, failingSince, failures, notBefore } = progress;
    const disk = this.#disk;
    const isOutdated = disk.restartRevision > revision;
    if (!isOutdated) {
      disk.position = position > disk.position ? position : disk.position;
      this.keepRows(progress);
      for (const moved of progress.replays) {
        const at = this.replaying.findIndex(({ id }) => id === moved.id);
        if (moved.position < moved.until) Object.assign(this.replaying[at] ?? {}, moved);
        else this.replaying.splice(at, 1);
      }
      this.#expectNothingPassed();
    }
    const isWritten = !isOutdated && revision === disk.revision;
    if (isWritten) disk.health = { status, reason, failingSince, failures, notBefore };
    if (isAcknowledged) node.settled(!isWritten);
  }

  /** Each event up to the position was delivered, or waits. */
  #expectNothingPassed(): void {
    const passed = this.feed.filter(({ number }) => number <= this.#disk.position);
    const lost = passed.filter(({ number }) => !this.#delivered.has(number) && !this.rows.has(number));
    expect(lost).toEqual([]);
  }
}

const KINDS = Object.keys(new History().steps) as (keyof History["steps"])[];
const OFTEN = ["commit", "succeed", "fail", "store", "wait", "look"] as const;
const KIND = fc.constantFrom(...KINDS, ...OFTEN, ...OFTEN);
const HISTORY = fc.array(fc.tuple(KIND, fc.nat(30)), { maxLength: 60, size: "max" });

test("whatever happens in which order, each event and replay is delivered, no position passes what is under way, and nothing follows a removal", async () => {
  await fc.assert(
    fc.asyncProperty(HISTORY, fc.boolean(), async (steps, isRemoved) => {
      const history = new History();
      for (const [kind, pick] of steps) await history.take(kind, pick);
      await (isRemoved ? history.endByRemoval() : history.end());
    }),
    { numRuns: HISTORIES },
  );
});
