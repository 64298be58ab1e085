import type { AccountNumber } from "#core/plant.ts";
import type { PlantRecords } from "#core/records.ts";
import type { EmptiedPlants } from "../emptied-stores.ts";
import { shortPageRequest } from "../plant-page.ts";
import { columnsUpTo, type PlantRow, plantLookup, type Select, shortPlantFromRow } from "../plant-row.ts";
import type { AccountRows } from "../removed-accounts.ts";
import { plantCreates } from "../write-queue.ts";
import type { Committer } from "./committer.ts";
import { asFailure, toWriteFailure } from "./errors.ts";
import { whenNoConflict } from "./in-transaction.ts";
import { JoinedFinds } from "./joined-finds.ts";
import { countedFrom, REMOVE_UP_TO } from "./plant-change.ts";
import { plantChanges } from "./plant-changes.ts";
import { shortPage } from "./plant-scan.ts";
import type { Pool } from "./pool.ts";

/** PostgreSQL expects few given ids, as with `FEW_GIVEN`; without statistics it would read all plants of the account instead. */
const FIND_MANY = `SELECT ${columnsUpTo("$3::integer")}
FROM unnest($2::bigint[]) AS given (wanted) JOIN plants ON account = $1 AND id = wanted WHERE wanted + 0 = wanted`;

const REMOVE_SLICE = `
WITH slice AS (
  SELECT id FROM plants WHERE account = $1 LIMIT 2000
), removed AS (
  DELETE FROM plants USING slice WHERE plants.account = $1 AND plants.id = slice.id RETURNING plants.account
), ${countedFrom("removed", { sign: "-" })}
SELECT count(*) AS count FROM removed`;

/**
 * `keepsEvents` is false if the feed of changes is turned off. `onCommit` is called after each removal of many; the
 * committer calls it for the others.
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
  const finds = new JoinedFinds(pool);
  const creates = plantCreates(committer, keepsEvents);
  const changes = plantChanges(committer, creates, (account, id) => finds.find(account, id));
  return {
    ...creates,
    ...changes,
    ...plantLookup(select),
    find: (account, id) => finds.find(account, id),
    async findMany(account, ids, bytesMax) {
      const rows = await select<PlantRow>(FIND_MANY, [account, `{${ids.join()}}`, bytesMax]);
      const found = new Map(rows.map((row) => [BigInt(row.id), shortPlantFromRow(row)]));
      return ids.map((id) => found.get(id));
    },
    async listShort(account, query) {
      const request = shortPageRequest(account, query);
      return request && asFailure(() => pool.inTurn(account, (msLeft) => shortPage(pool, request, msLeft)));
    },
    removeUpTo: (account, number) => write(REMOVE_UP_TO, [account, number, keepsEvents, Date.now()]),
    /** Removes in slices, so that no transaction runs for long. */
    async removeAll(account, signal) {
      while (await write(REMOVE_SLICE, [account])) signal?.throwIfAborted();
      await write("DELETE FROM plant_counts WHERE account = $1", [account]);
    },
  };
}
