import { sql } from "kysely";
import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { DatabaseAccess } from "./database-access.ts";

/** Plants that are removed many at a time, each with its event, as if it was asked for alone. */
export interface EmptiedPlants {
  /** Removes some of the account's plants up to that number. Resolves with false if there are none. */
  removeUpTo(account: AccountNumber, number: bigint): Promise<boolean>;
  count(account: AccountNumber): Promise<number>;
}

/**
 * Removes the plants of test stores that are being emptied. `stores.emptied_to` says up to which number, until all are
 * removed: a sweep finds what a crash left.
 */
export class EmptiedStores {
  readonly job: Job = {
    name: "emptied-stores",
    intervalMs: 30_000,
    firstDelayMs: 1000,
    exclusive: true,
    run: async ({ signal }) => {
      const marked = this.storage.db.selectFrom("stores").select("number").where("emptied_to", "is not", null);
      for (const { number } of await marked.execute()) await this.empty(number, signal);
    },
  };

  constructor(
    private readonly storage: Pick<DatabaseAccess, "db">,
    private readonly plants: EmptiedPlants,
  ) {}

  /** Empties it while nobody waits. A run that fails is repeated by the sweep. */
  begin(account: AccountNumber): void {
    this.empty(account).catch(() => {});
  }

  /** How many plants an account has that is being emptied; undefined for any other. */
  async left(account: AccountNumber): Promise<number | undefined> {
    const marked = this.storage.db.selectFrom("stores").select("number").where("emptied_to", "is not", null);
    const row = await marked.where("number", "=", account).executeTakeFirst();
    return row && this.plants.count(account);
  }

  /** Removes in slices, in a third of the time, so that other requests and other processes' writes pass between them. */
  async empty(account: AccountNumber, signal?: AbortSignal): Promise<void> {
    const { db } = this.storage;
    const asText = sql<string>`CAST(emptied_to AS text)`;
    const row = db.selectFrom("stores").select(asText.as("to")).where("number", "=", account);
    const to = (await row.executeTakeFirst())?.to;
    if (!to) return;
    for (let isLeft = true; isLeft; ) {
      signal?.throwIfAborted();
      const start = performance.now();
      isLeft = await this.plants.removeUpTo(account, BigInt(to));
      if (isLeft) await Bun.sleep(2 * (performance.now() - start));
    }
    const done = db.updateTable("stores").set({ emptied_to: null }).where("number", "=", account);
    await done.where(asText, "=", to).execute();
  }
}
