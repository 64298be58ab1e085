import type { AccountNumber, Plant } from "#core/plant.ts";
import { patched } from "#core/plant.ts";
import type { PlantCondition, PlantRecords } from "#core/records.ts";
import type { EmptiedPlants } from "../emptied-stores.ts";
import {
  FIND_PLANT_ON_DISK,
  type PlantRow,
  plantLookup,
  requiredPlant,
  type Select,
  shortPlantLookup,
} from "../plant-row.ts";
import type { AccountRows } from "../removed-accounts.ts";
import { plantCreates } from "../write-queue.ts";
import type { Committer } from "./committer.ts";
import { toWriteFailure } from "./errors.ts";
import { whenNoConflict } from "./in-transaction.ts";
import { CHANGE, countedFrom, REMOVE, REMOVE_UP_TO, valuesOf } from "./plant-change.ts";
import type { Pool } from "./pool.ts";

const REMOVE_SLICE = `
WITH slice AS (
  SELECT id FROM plants WHERE account = $1 LIMIT 2000
), removed AS (
  DELETE FROM plants USING slice WHERE plants.account = $1 AND plants.id = slice.id RETURNING plants.account
), ${countedFrom("removed", { sign: "-" })}
SELECT count(*) AS count FROM removed`;

/**
 * `keepsEvents` is false if the feed of changes is turned off. `onCommit` is called after each change and removal; the
 * committer calls it for creates.
 */
export function postgresPlants(
  pool: Pool,
  committer: Committer,
  { keepsEvents, onCommit }: { readonly keepsEvents: boolean; readonly onCommit: () => void },
): PlantRecords & AccountRows & EmptiedPlants {
  /** The first value is the account. */
  const select: Select = (text, values) =>
    pool.inTurn(values[0] as AccountNumber, (msLeft) => pool.rows({ text, query_timeout: msLeft }, values));
  /** Returns true if a row changed. The first value is the account. */
  const write = async (text: string, values: unknown[]): Promise<boolean> => {
    try {
      const { rows, rowCount } = await whenNoConflict(() =>
        pool.inTurn(values[0] as AccountNumber, (msLeft) =>
          pool.query<{ count?: number }>({ text, query_timeout: msLeft }, values),
        ),
      );
      onCommit();
      return (rows[0]?.count ?? rowCount ?? 0) > 0;
    } catch (error) {
      throw toWriteFailure(error);
    }
  };
  const required = async (account: AccountNumber, id: bigint, allows: PlantCondition): Promise<Plant> =>
    requiredPlant((await select<PlantRow>(FIND_PLANT_ON_DISK, [account, id]))[0], id, allows);
  return {
    ...plantCreates(committer, keepsEvents),
    ...plantLookup(select),
    ...shortPlantLookup(select),
    async change(account, id, patch, allows, _span, by) {
      for (;;) {
        const before = await required(account, id, allows);
        const after = patched(before, patch, Date.now());
        if (after === before) return after;
        const values = valuesOf(account, { keepsEvents, by, at: after.updatedAt });
        const read = [id, before.number, before.revision, before.name, before.tag ?? null, before.createdAt];
        if (await write(CHANGE, [...values, ...read, after.name, after.tag ?? null, after.revision])) return after;
      }
    },
    async remove(account, id, allows, _span, by) {
      for (;;) {
        const { number, revision } = await required(account, id, allows);
        const values = valuesOf(account, { keepsEvents, by, at: Date.now() });
        if (await write(REMOVE, [...values, id, number, revision])) return;
      }
    },
    removeUpTo: (account, number) =>
      write(REMOVE_UP_TO, [...valuesOf(account, { keepsEvents, at: Date.now() }), number]),
    /** Removes in slices, so that no transaction runs for long. */
    async removeAll(account, signal) {
      while (await write(REMOVE_SLICE, [account])) signal?.throwIfAborted();
      await write("DELETE FROM plant_counts WHERE account = $1", [account]);
    },
  };
}
