import type { AccountNumber } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { EmptiedPlants } from "../emptied-stores.ts";
import { columnsUpTo, type PlantRow, plantLookup, shortPlantFromRow, shortPlantLookup } from "../plant-row.ts";
import type { AccountRows } from "../removed-accounts.ts";
import { plantCreates } from "../write-queue.ts";
import type { Committer } from "./committer.ts";
import { asFailure } from "./errors.ts";
import { sqlitePlantChanges } from "./plant-changes.ts";
import { ShortPages } from "./plant-scan.ts";
import { type ReadConnection, selecting } from "./read-connection.ts";

export function sqlitePlants(
  database: ReadConnection,
  committer: Committer,
  keepsEvents: boolean,
): PlantRecords & AccountRows & EmptiedPlants {
  const select = selecting(database);
  const findMany = database.prepare<PlantRow, [AccountNumber, bigint, number]>(
    `SELECT ${columnsUpTo("?3")} FROM plants WHERE account = ?1 AND id = ?2`,
  );
  const shortPages = new ShortPages(database);
  return {
    ...plantCreates(committer, keepsEvents),
    ...plantLookup(select),
    ...shortPlantLookup(select),
    ...sqlitePlantChanges(database, committer),
    async findMany(account, ids, bytesMax) {
      return asFailure(() =>
        ids.map((id) => {
          const row = findMany.get(account, id, bytesMax);
          return row ? shortPlantFromRow(row) : undefined;
        }),
      );
    },
    listShort: (account, query) => shortPages.list(account, query),
    removeUpTo: (account, number) => committer.run((plants, now) => plants.removeUpTo(account, number, now)),
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
      // The index follows earlier changes first, so that nothing of them is left in it.
      while ((await committer.run((plants) => plants.searchIndex.follow())) > 0) signal?.throwIfAborted();
    },
  };
}
