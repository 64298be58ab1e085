import type { AccountNumber, CreateOutcome, NewPlant } from "#core/plant.ts";
import { samePlant } from "#core/plant.ts";
import { int8Array, textArray } from "./binary-array.ts";
import type { Lent } from "./pool.ts";

/** Creates of one caller: they are kept or refused together. */
export interface PlantsWrite {
  readonly account: AccountNumber;
  readonly plants: readonly NewPlant[];
}

interface KeyedPlant {
  readonly account: AccountNumber;
  readonly plant: NewPlant;
  readonly key: string;
}

/** A write whose account was removed keeps nothing: nobody would ever remove its plants. */
export type WriteOutcome = CreateOutcome[] | "account-removed";

type KeptText = Pick<NewPlant, "name" | "tag">;

/**
 * One statement, so one transaction and one round trip. Plants are numbered as they came, and written in the order of
 * their keys, so that two batches meet their common ones in the same order and never wait for each other in a circle;
 * the counts come after all of the plants, in the order of the accounts, for the same reason. An account's count is
 * spread over several rows by the connection, as batches that are under way together would wait for one. The keys come
 * back only where some were taken.
 * The transaction has its id before it draws its first number, which the search index relies on, and its commit waits
 * for the disk and the synchronous standby whatever the database is set to.
 */
const INSERT = `
WITH started AS MATERIALIZED (
  SELECT pg_current_xact_id() AS transaction, (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now,
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
      THEN set_config('synchronous_commit', 'on', true) END AS commit
), known AS MATERIALIZED (
  SELECT number FROM accounts WHERE number = ANY($5::bigint[])
), numbered AS MATERIALIZED (
  SELECT nextval('plant_number') AS number, given.*, started.now
  FROM started, unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) AS given (account, id, name, tag)
  WHERE started.transaction IS NOT NULL AND given.account IN (SELECT number FROM known)
), created AS (
  INSERT INTO plants (number, account, id, name, tag, created_at, updated_at)
  SELECT number, account, id, name, tag, now, now FROM numbered ORDER BY account, id
  ON CONFLICT (account, id) DO NOTHING
  RETURNING account, id
), counted AS (
  INSERT INTO plant_counts (account, slot, count)
  SELECT account, pg_backend_pid() % 64, count(*) FROM created GROUP BY account ORDER BY account
  ON CONFLICT (account, slot) DO UPDATE SET count = plant_counts.count + excluded.count
)
SELECT count(*) AS count, CASE WHEN count(*) < cardinality($2::bigint[])
  THEN (SELECT array_agg(account || ':' || id) FROM created) END AS keys,
  CASE WHEN (SELECT count(*) FROM known) < cardinality($5::bigint[])
  THEN ARRAY(SELECT number::text FROM known) END AS accounts
FROM created`;

/**
 * Reads the plants whose ids were taken. The message in the log gives this transaction something to commit: its end waits
 * for the disk and the synchronous standby, and so for all that it has read. Without it a repeated create could
 * be answered from a row that the standby has not got.
 */
const READ_BACK = `
SELECT plants.account || ':' || plants.id AS key, plants.name, plants.tag,
  pg_logical_emit_message(true, 'plantstore', 'read back') AS logged
FROM unnest($1::bigint[], $2::bigint[]) AS given (account, id)
JOIN plants ON plants.account = given.account AND plants.id = given.id`;

/**
 * Writes a batch and returns each write's outcomes once they are on disk. Undefined for a write of which an id was taken
 * by a plant that was removed before it was read back: it must be written again.
 */
export async function writeBatch(
  client: Lent,
  batch: readonly PlantsWrite[],
  waitMsMax: number,
): Promise<(WriteOutcome | undefined)[]> {
  const plants = distinctPlants(batch);
  const { created, accounts } = await insert(client, plants, waitMsMax);
  const isKnown = ({ account }: Pick<KeyedPlant, "account">) => accounts?.has(account) ?? true;
  const taken = plants.filter((plant) => !created.has(plant.key) && isKnown(plant));
  const kept = taken.length > 0 ? await readBack(client, taken, waitMsMax) : new Map<string, KeptText>();
  for (const { key, plant } of plants) if (created.has(key)) kept.set(key, plant);
  return batch.map((write) => (isKnown(write) ? outcomesOf(write, created, kept) : "account-removed"));
}

/** Of several with one id the first was created; every later one is compared with it. */
function outcomesOf(
  write: PlantsWrite,
  created: Set<string>,
  kept: ReadonlyMap<string, KeptText>,
): CreateOutcome[] | undefined {
  const outcomes: CreateOutcome[] = [];
  for (const plant of write.plants) {
    const key = keyOf(write.account, plant);
    const existing = kept.get(key);
    if (!existing) return undefined;
    if (created.delete(key)) outcomes.push("created");
    else outcomes.push(samePlant(existing, plant) ? "unchanged" : "taken");
  }
  return outcomes;
}

/** Each id once: the first plant that came with it. */
function distinctPlants(batch: readonly PlantsWrite[]): KeyedPlant[] {
  const distinct = new Map<string, KeyedPlant>();
  for (const { account, plants } of batch) {
    for (const plant of plants) {
      const key = keyOf(account, plant);
      if (!distinct.has(key)) distinct.set(key, { account, plant, key });
    }
  }
  return [...distinct.values()];
}

function keyOf(account: AccountNumber, plant: NewPlant): string {
  return `${account}:${plant.id}`;
}

interface Inserted {
  readonly created: Set<string>;
  /** The accounts that are there; undefined if all are. */
  readonly accounts: ReadonlySet<AccountNumber> | undefined;
}

async function insert(client: Lent, plants: readonly KeyedPlant[], waitMsMax: number): Promise<Inserted> {
  const values = [
    int8Array(plants.map(({ account }) => account)),
    int8Array(plants.map(({ plant }) => plant.id)),
    textArray(plants.map(({ plant }) => plant.name)),
    textArray(plants.map(({ plant }) => plant.tag ?? null)),
    int8Array([...new Set(plants.map(({ account }) => account))]),
  ];
  const { rows } = await client.query<{ count: number; keys: string[] | null; accounts: string[] | null }>(
    { name: "create plants", text: INSERT, query_timeout: waitMsMax },
    values,
  );
  const [row] = rows;
  const created = new Set(row?.count === plants.length ? plants.map(({ key }) => key) : row?.keys);
  return { created, accounts: row?.accounts ? new Set(row.accounts.map(Number)) : undefined };
}

async function readBack(
  client: Lent,
  plants: readonly KeyedPlant[],
  waitMsMax: number,
): Promise<Map<string, KeptText>> {
  const values = [int8Array(plants.map(({ account }) => account)), int8Array(plants.map(({ plant }) => plant.id))];
  const { rows } = await client.query<{ key: string; name: string; tag: string | null }>(
    { text: READ_BACK, query_timeout: waitMsMax },
    values,
  );
  return new Map(rows.map(({ key, name, tag }) => [key, { name, tag: tag ?? undefined }]));
}
