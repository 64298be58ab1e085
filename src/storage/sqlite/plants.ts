import type { AccountNumber, PlantPatch } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { EmptiedPlants } from "../emptied-stores.ts";
import { plantLookup } from "../plant-row.ts";
import type { AccountRows } from "../removed-accounts.ts";
import { plantCreates, WRITE_SIZE_UNITS } from "../write-queue.ts";
import type { Committer, Weight } from "./committer.ts";
import { asFailure } from "./errors.ts";
import { type ReadConnection, selecting } from "./read-connection.ts";

/** Without reading the text. */
const PLANT_BYTES = "SELECT octet_length(name) AS bytes FROM plants WHERE account = ?1 AND id = ?2";

export function sqlitePlants(
  database: ReadConnection,
  committer: Committer,
  keepsEvents: boolean,
): PlantRecords & AccountRows & EmptiedPlants {
  const bytesOf = database.prepare<{ bytes: number }, [AccountNumber, bigint]>(PLANT_BYTES);
  /** Of a plant that is changed or removed: with its events and its index it is written again. */
  const weigh = (account: AccountNumber, id: bigint, patch: PlantPatch = {}): Weight => {
    const kept = asFailure(() => bytesOf.get(account, id));
    const size = WRITE_SIZE_UNITS + (kept?.bytes ?? 0) + (patch.name?.length ?? 0);
    return { account, size, refusesFirst: true };
  };
  return {
    ...plantCreates(committer, keepsEvents),
    ...plantLookup(selecting(database)),
    change: async (account, id, patch, allows, span, by) =>
      committer.run(
        (plants, now) => plants.change(account, id, patch, allows, now, by),
        span,
        weigh(account, id, patch),
      ),
    remove: async (account, id, allows, span, by) =>
      committer.run((plants, now) => plants.remove(account, id, allows, now, by), span, weigh(account, id)),
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
    },
  };
}
