import type { Kysely } from "kysely";
import type { AccountNumber } from "#core/plant.ts";
import type { Schema } from "./schema.ts";

/** Holds something of each account. */
interface Holder {
  removeAll(account: AccountNumber): Promise<void>;
}

const FIRST_LOOK_MS = 1000;
const LOOKS_APART_MS = 30_000;
/** From then on no node takes the account's tokens any more, and no create of it is under way. */
const SETTLED_MS = 10_000;

/**
 * Empties accounts that were removed. The removal of the account's row is kept in `removed_accounts` in the same
 * transaction, so what a crash left behind, or a create that was under way, is removed by the next one to look.
 */
export class RemovedAccounts {
  readonly #db: Kysely<Schema>;
  readonly #holders: readonly Holder[];
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Kysely<Schema>, holders: readonly Holder[]) {
    this.#db = db;
    this.#holders = holders;
    this.#look(FIRST_LOOK_MS);
  }

  async empty(account: AccountNumber): Promise<void> {
    for (const holder of this.#holders) await holder.removeAll(account);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #look(delayMs: number): void {
    this.#timer = setTimeout(() => void this.#sweepAndLookAgain(), delayMs);
    this.#timer.unref();
  }

  async #sweepAndLookAgain(): Promise<void> {
    await this.sweep(Date.now()).catch(() => undefined);
    if (this.#timer) this.#look(LOOKS_APART_MS);
  }

  async sweep(now: number): Promise<void> {
    const removed = await this.#db.selectFrom("removed_accounts").selectAll().execute();
    for (const { number, removed_at } of removed) {
      await this.empty(Number(number));
      const row = this.#db.deleteFrom("removed_accounts").where("number", "=", number);
      if (now - Number(removed_at) > SETTLED_MS) await row.execute();
    }
  }
}
