import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Queries } from "./queries.ts";

/** The rows of an account in a table that no foreign key clears with it. */
export interface AccountRows {
  removeAll(account: AccountNumber): Promise<void>;
}

const FIRST_SWEEP_DELAY_MS = 1000;
const SWEEP_INTERVAL_MS = 30_000;
/** After this time no node accepts the account's tokens any more, and none adds to its usage. */
const SETTLED_MS = 10_000;

/**
 * Removes the rows of removed accounts. A trigger stores each removed account in `removed_accounts`, in the same
 * transaction, so a sweep finds the rows that a crash left behind.
 */
export class RemovedAccounts {
  /**
   * `noneUnderWay` resolves with true if every transaction that began before that time has ended. One that began before
   * the removal may still write plants of the account.
   */
  constructor(
    private readonly db: Queries,
    private readonly rows: readonly AccountRows[],
    private readonly noneUnderWay: (since: number) => Promise<boolean>,
  ) {}

  readonly job: Job = {
    name: "removed-accounts",
    intervalMs: SWEEP_INTERVAL_MS,
    firstDelayMs: FIRST_SWEEP_DELAY_MS,
    exclusive: true,
    run: async ({ now }) => {
      const removed = await this.db.selectFrom("removed_accounts").selectAll().execute();
      for (const { number, removed_at } of removed) {
        const settledAt = removed_at + SETTLED_MS;
        const isSettled = now > settledAt && (await this.noneUnderWay(settledAt));
        await this.empty(number);
        if (isSettled) await this.db.deleteFrom("removed_accounts").where("number", "=", number).execute();
      }
    },
  };

  async empty(account: AccountNumber): Promise<void> {
    for (const rows of this.rows) await rows.removeAll(account);
  }
}
