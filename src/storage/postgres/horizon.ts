import type { FeedHorizon } from "../feed-watch.ts";
import type { Pool, TimedQuery } from "./pool.ts";

const LAST_NUMBER = {
  name: "last number",
  text: "SELECT CASE WHEN is_called THEN last_value ELSE 0 END::text AS n FROM plant_number",
};
const OWN_TRANSACTION = { name: "own transaction", text: "SELECT pg_current_xact_id()::text AS n" };
const OLDEST_TRANSACTION = {
  name: "oldest transaction",
  text: "SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS n",
};

interface Candidate {
  readonly number: bigint;
  readonly transaction: bigint;
  readonly drawnAt: number;
}

/**
 * The number up to which plants and events may be read. Numbers are drawn before their transactions commit, so a reader
 * that followed the numbers alone would skip those that commit later. A number is settled when every transaction that
 * may have drawn it, or one below it, has ended. To find out, the last number is read; then, in a separate statement, a
 * transaction id is drawn; and once the oldest running transaction is newer than that id, all numbers up to the one
 * read are settled. Using `pg_snapshot_xmax` instead of an id of one's own would give the last *completed* transaction
 * and lose events. A transaction must have its id before it draws its first number.
 */
export class Horizon implements FeedHorizon {
  #candidate: Candidate | undefined;
  #settled: Pick<Candidate, "number" | "drawnAt"> = { number: 0n, drawnAt: Number.NEGATIVE_INFINITY };
  #refreshing: Promise<void> | undefined;

  constructor(private readonly pool: Pool) {}

  get settled(): bigint {
    return this.#settled.number;
  }

  get settledAt(): number {
    return this.#settled.drawnAt;
  }

  async refresh(waitMsMax: number): Promise<bigint> {
    const from = performance.now();
    while (this.#settled.drawnAt < from && performance.now() - from < waitMsMax) {
      this.#refreshing ??= this.#settleOne(from + waitMsMax).finally(() => {
        this.#refreshing = undefined;
      });
      await this.#refreshing;
    }
    return this.#settled.number;
  }

  async #settleOne(deadline: number): Promise<void> {
    this.#candidate ??= await this.#draw();
    for (let delayMs = 5; ; delayMs = Math.min(2 * delayMs, 50)) {
      if (await this.#isSettled(this.#candidate)) break;
      if (performance.now() + delayMs > deadline) return;
      await Bun.sleep(delayMs);
    }
    this.#settled = this.#candidate;
    this.#candidate = undefined;
  }

  async #draw(): Promise<Candidate> {
    const drawnAt = performance.now();
    const number = await this.#read(LAST_NUMBER);
    const transaction = await this.#read(OWN_TRANSACTION);
    return { number, transaction, drawnAt };
  }

  async #isSettled({ transaction }: Candidate): Promise<boolean> {
    return (await this.#read(OLDEST_TRANSACTION)) > transaction;
  }

  async #read(statement: TimedQuery): Promise<bigint> {
    const [row] = await this.pool.rows<{ n: string }>(statement);
    return BigInt(row?.n ?? 0);
  }
}
