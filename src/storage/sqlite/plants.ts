import type { AccountNumber } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import { plantLookup } from "../plant-row.ts";
import type { AccountRows } from "../removed-accounts.ts";
import { plantCreates } from "../write-queue.ts";
import type { Committer } from "./committer.ts";
import { type ReadConnection, selecting } from "./read-connection.ts";

export function sqlitePlants(
  database: ReadConnection,
  committer: Committer,
  keepsEvents: boolean,
): PlantRecords & AccountRows {
  return {
    ...plantCreates(committer, keepsEvents),
    ...plantLookup(selecting(database)),
    change: (account, id, patch, allows, span, by) =>
      committer.run((plants, now) => plants.change(account, id, patch, allows, now, by), span),
    remove: (account, id, allows, span, by) =>
      committer.run((plants, now) => plants.remove(account, id, allows, now, by), span),
    /**
     * Removes in slices, in a third of the time, so that other requests and other processes' writes pass between them.
     */
    async removeAll(account: AccountNumber, signal?: AbortSignal) {
      let removed: number;
      do {
        signal?.throwIfAborted();
        const start = performance.now();
        removed = await committer.run((plants) => plants.removeSlice(account));
        if (removed > 0) await Bun.sleep(2 * (performance.now() - start));
      } while (removed > 0);
    },
  };
}
