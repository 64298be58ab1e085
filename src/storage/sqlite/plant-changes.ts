import { type AccountNumber, type PlantRemoval, type PlantUpdate, textUnits } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { RequestSpan } from "#core/trace.ts";
import { TEXT_BYTES } from "../plant-row.ts";
import { WRITE_SIZE_UNITS } from "../write-queue.ts";
import type { Committer } from "./committer.ts";
import { asFailure } from "./errors.ts";
import type { Change, PlantWriter } from "./plant-writer.ts";
import type { ReadConnection } from "./read-connection.ts";

const PLANT_BYTES = `SELECT ${TEXT_BYTES} AS bytes FROM plants WHERE account = ?1 AND id = ?2`;

/** A slice of many waits with the small writes, unless its new texts are long. */
const SLICE_LENGTH_MAX = 256;
const SLICE_BYTES_MAX = 16 * 1024;

/** A batch of so many of them has no more text than a batch may have. */
const SHORT_BYTES = 192;

/** Undefined if the plant has more bytes of text than that. */
type Act<T> = (plants: PlantWriter, within: Within) => T | undefined;
type Within = Pick<Change, "now" | "bytesMax">;

/** Changes and removals as units of work of the committer. */
export function sqlitePlantChanges(
  database: ReadConnection,
  committer: Committer,
): Pick<PlantRecords, "change" | "remove" | "put" | "updateMany" | "removeMany"> {
  const bytesOf = database.prepare<{ bytes: number }, [AccountNumber, bigint]>(PLANT_BYTES);
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
  /** Changes or removes many plants, a slice after the other, and each whose texts are long by itself. */
  const writeMany = async <Given extends PlantUpdate | PlantRemoval, Outcome>(
    account: AccountNumber,
    given: readonly Given[],
    span: RequestSpan | undefined,
    act: (plants: PlantWriter, some: readonly Given[], within: Within) => (Outcome | undefined)[],
  ) => {
    const outcomes: Outcome[] = [];
    for (let left = [...given.entries()]; left.length > 0; ) {
      const slice = left.slice(0, SLICE_LENGTH_MAX);
      const some = slice.map(([, one]) => one);
      const size = some.reduce((sum, one) => sum + unitsOf(one), WRITE_SIZE_UNITS + SLICE_BYTES_MAX);
      const run = (plants: PlantWriter, now: number) => act(plants, some, { now, bytesMax: SLICE_BYTES_MAX });
      const done = await committer.run(run, span, { account, size, refusesFirst: true });
      const [first] = some;
      if (first && done[0] === undefined)
        done[0] = await write(
          account,
          first.id,
          unitsOf(first),
          span,
          (plants, within) => act(plants, [first], within)[0],
        );
      for (const [at, [place]] of slice.entries()) {
        const outcome = done[at];
        if (outcome !== undefined) outcomes[place] = outcome;
      }
      left = [...slice.filter((_, at) => done[at] === undefined), ...left.slice(SLICE_LENGTH_MAX)];
    }
    return outcomes;
  };
  return {
    change: (account, id, patch, allows, span, by) =>
      write(account, id, textUnits(patch), span, (plants, within) =>
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
      writeMany(account, updates, span, (plants, some, within) => plants.updateMany(account, some, { by, ...within })),
    removeMany: (account, removals, span, by) =>
      writeMany(account, removals, span, (plants, some, within) => plants.removeMany(account, some, { by, ...within })),
  };
}

function unitsOf(given: PlantUpdate | PlantRemoval): number {
  return "etag" in given ? 0 : textUnits(given);
}
