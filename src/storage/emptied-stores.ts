import { sql } from "kysely";
import { Failure } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { DatabaseAccess } from "./database-access.ts";

const SLICE_LENGTH = 50;

/**
 * Removes the plants of test stores that are being emptied, each as if it was asked for alone, so that its event is told and
 * search follows. `accounts.emptied_to` says up to which number, until all are removed: a sweep finds what a crash left.
 */
export class EmptiedStores {
  readonly job: Job = {
    name: "emptied-stores",
    intervalMs: 30_000,
    firstDelayMs: 1000,
    exclusive: true,
    run: async ({ signal }) => {
      const marked = this.storage.db.selectFrom("accounts").select("number").where("emptied_to", "is not", null);
      for (const { number } of await marked.execute()) await this.empty(number, signal);
    },
  };

  constructor(
    private readonly storage: Pick<DatabaseAccess, "db">,
    private readonly plants: Pick<PlantRecords, "remove">,
  ) {}

  /** Removes in slices, in a third of the time, so that other requests and other processes' writes pass between them. */
  async empty(account: AccountNumber, signal?: AbortSignal): Promise<void> {
    const { db } = this.storage;
    const asText = sql<string>`CAST(emptied_to AS text)`;
    const row = db.selectFrom("accounts").select(asText.as("to")).where("number", "=", account);
    const to = (await row.executeTakeFirst())?.to;
    if (!to) return;
    const marked = db
      .selectFrom("plants")
      .where("account", "=", account)
      .where("number", "<=", BigInt(to) as never);
    const slice = marked.select(sql<string>`CAST(id AS text)`.as("id")).orderBy("number").limit(SLICE_LENGTH);
    for (let rows = await slice.execute(); rows.length > 0; rows = await slice.execute()) {
      signal?.throwIfAborted();
      const start = performance.now();
      await Promise.all(rows.map(({ id }) => this.#remove(account, BigInt(id))));
      await Bun.sleep(2 * (performance.now() - start));
    }
    const done = db.updateTable("accounts").set({ emptied_to: null }).where("number", "=", account);
    await done.where(asText, "=", to).execute();
  }

  async #remove(account: AccountNumber, id: bigint): Promise<void> {
    try {
      await this.plants.remove(account, id, () => {});
    } catch (error) {
      // Another node empties the store too.
      if (!(error instanceof Failure && error.code === "plant-unknown")) throw error;
    }
  }
}
