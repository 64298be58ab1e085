import { type AccountNumber, type PlantUpdate, textUnits } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import type { EmptiedPlants } from "../emptied-stores.ts";
import {
  columnsUpTo,
  OF_ID,
  plantLookup,
  type PlantRow,
  shortPlantFromRow,
  shortPlantLookup,
  TEXT_BYTES,
} from "../plant-row.ts";
import type { AccountRows } from "../removed-accounts.ts";
import { plantCreates, WRITE_SIZE_UNITS } from "../write-queue.ts";
import type { Committer } from "./committer.ts";
import { asFailure } from "./errors.ts";
import type { Change, PlantWriter } from "./plant-writer.ts";
import { type ReadConnection, selecting } from "./read-connection.ts";

const PLANT_BYTES = `SELECT ${TEXT_BYTES} AS bytes FROM plants WHERE account = ?1 AND id = ?2`;

/** A slice of many waits with the small writes. */
const SLICE_LENGTH_MAX = 128;

/** A batch of so many of them has no more text than a batch may have. */
const SHORT_BYTES = 192;

/** Undefined if the plant has more bytes of text than that. */
type Act<T> = (plants: PlantWriter, within: Within) => T | undefined;
type Within = Pick<Change, "now" | "bytesMax">;

export function sqlitePlants(
  database: ReadConnection,
  committer: Committer,
  keepsEvents: boolean,
): PlantRecords & AccountRows & EmptiedPlants {
  const select = selecting(database);
  const bytesOf = database.prepare<{ bytes: number }, [AccountNumber, bigint]>(PLANT_BYTES);
  const findMany = database.prepare<PlantRow, [AccountNumber, bigint, number]>(`SELECT ${columnsUpTo("$3")} ${OF_ID}`);
  /**
   * Changes or removes one plant, which is written again with its events and its index. Only one whose texts are not short is
   * weighed, and waits a second time, by its size. `units` are those of the new texts.
   */
  const write = async <T>(
    account: AccountNumber,
    id: bigint,
    units: number,
    span: RequestSpan | undefined,
    act: Act<T>,
  ) => {
    const run = (bytes: number, bytesMax: number) =>
      committer.run((plants, now) => act(plants, { now, bytesMax }), span, {
        account,
        size: WRITE_SIZE_UNITS + bytes + units,
        refusesFirst: true,
      });
    const done = await run(SHORT_BYTES, SHORT_BYTES);
    if (done !== undefined) return done;
    const kept = asFailure(() => bytesOf.get(account, id));
    return (await run(kept?.bytes ?? 0, Number.MAX_SAFE_INTEGER)) as T;
  };
  /** Changes or removes many plants, a slice after the other, and those whose texts are not short one by one after their slice. */
  const writeMany = async <Given extends { readonly id: bigint }, Outcome>(
    account: AccountNumber,
    given: readonly Given[],
    span: RequestSpan | undefined,
    unitsOf: (one: Given) => number,
    act: (plants: PlantWriter, some: readonly Given[], within: Within) => (Outcome | undefined)[],
  ) => {
    const outcomes: Outcome[] = [];
    for (let at = 0; at < given.length; at += SLICE_LENGTH_MAX) {
      const slice = given.slice(at, at + SLICE_LENGTH_MAX);
      const units = slice.reduce((sum, one) => sum + unitsOf(one) + SHORT_BYTES, 0);
      const weight = { account, size: WRITE_SIZE_UNITS + units, refusesFirst: true };
      const done = await committer.run(
        (plants, now) => act(plants, slice, { now, bytesMax: SHORT_BYTES }),
        span,
        weight,
      );
      for (const [place, one] of slice.entries()) {
        const long = (plants: PlantWriter, within: Within) => act(plants, [one], within)[0];
        outcomes.push(done[place] ?? (await write(account, one.id, unitsOf(one), span, long)));
      }
    }
    return outcomes;
  };
  return {
    ...plantCreates(committer, keepsEvents),
    ...plantLookup(select),
    ...shortPlantLookup(select),
    change: (account, id, patch, allows, span, by) =>
      write(account, id, (patch.name?.length ?? 0) + (patch.tag?.length ?? 0), span, (plants, within) =>
        plants.change(account, id, patch, { allows, by, ...within }),
      ),
    async remove(account, id, allows, span, by) {
      await write(account, id, 0, span, (plants, within) => plants.remove(account, id, { allows, by, ...within }));
    },
    put: (account, plant, allows, span, by) =>
      write(account, plant.id, textUnits(plant), span, (plants, within) =>
        plants.put(account, plant, { allows, by, ...within }),
      ),
    updateMany: (account, updates, span, by) =>
      writeMany(account, updates, span, unitsOf, (plants, some, within) =>
        plants.updateMany(account, some, { by, ...within }),
      ),
    removeMany: (account, removals, span, by) =>
      writeMany(
        account,
        removals,
        span,
        () => 0,
        (plants, some, within) => plants.removeMany(account, some, { by, ...within }),
      ),
    async findMany(account, ids, bytesMax) {
      return asFailure(() =>
        ids.map((id) => {
          const row = findMany.get(account, id, bytesMax);
          return row ? shortPlantFromRow(row) : undefined;
        }),
      );
    },
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

function unitsOf({ name, tag }: PlantUpdate): number {
  return textUnits({ name: name ?? "", tag });
}
