import { storedActor } from "#core/event-actor.ts";
import type { AccountNumber, CreateOutcome, NewPlant } from "#core/plant.ts";
import { outcomeBeside } from "#core/plant.ts";
import { MEMBER_NAMES, type PlantTexts } from "#core/plant-members.ts";
import { TEXTS, type TextRow, textsFromRow, textsIn } from "../plant-row.ts";
import { PlantsWrite } from "../write-queue.ts";
import type { BatchWriter } from "./batch-writer.ts";
import { int8Array, textArray } from "./binary-array.ts";
import { isIdTaken } from "./errors.ts";
import { countedFrom, textArrays } from "./plant-change.ts";
import { type LentConnection, msUntil } from "./pool.ts";

interface KeyedPlant {
  readonly account: AccountNumber;
  readonly plant: NewPlant;
  readonly key: string;
  /** The person who creates it, as stored; null for a program. */
  readonly creator: string | null;
  /** The mark of the import to which it belongs. */
  readonly importMark: string | null;
}

/**
 * The outcome of each plant; undefined for one whose id was taken by a plant that was removed before it could be read:
 * it must be written again. A write whose account was removed stores nothing, since nothing would ever remove its
 * plants.
 */
type WriteOutcome = (CreateOutcome | undefined)[] | "account-removed";

/**
 * The transaction has its id before it draws its first number, which the search index relies on, and its commit waits for
 * the disk and the synchronous standby whatever the database's settings are.
 */
const STARTED = `started AS MATERIALIZED (
  SELECT pg_current_xact_id() AS transaction, (extract(epoch FROM statement_timestamp()) * 1000)::bigint AS now,
    pg_sequence_last_value('last_removal') AS removal, pg_sequence_last_value('plant_number') AS number,
    CASE WHEN current_setting('synchronous_commit') IN ('off', 'local')
      THEN set_config('synchronous_commit', 'on', true) END AS commit
)`;
const TEXTS_FROM = 4;
/**
 * One statement, so one transaction and one round trip. Plants are numbered in the order in which they came, and
 * written in the order of their keys: two batches with common keys then lock them in the same order and cannot
 * deadlock. For the same reason the counts are updated after all plants, in the order of the accounts. The keys are
 * returned only if some were taken. $1 accounts, $2 ids, $3 the accounts once each, then the texts by member.
 */
const NUMBERED = `
WITH ${STARTED}, known AS MATERIALIZED (
  SELECT number FROM stores WHERE number = ANY($3::bigint[])
), numbered AS MATERIALIZED (
  SELECT nextval('plant_number') AS number, given.*, started.now
  FROM started, unnest($1::bigint[], $2::bigint[], ${textArrays(TEXTS_FROM, MEMBER_NAMES.length)}) AS given (account, id, ${TEXTS})
  WHERE started.transaction IS NOT NULL AND given.account IN (SELECT number FROM known)
)`;
const CREATED = `created AS (
  INSERT INTO plants (number, account, id, ${TEXTS}, created_at, updated_at)
  SELECT number, account, id, ${TEXTS}, now, now FROM numbered ORDER BY account, id`;
/**
 * A plant may replace one of its id that was removed after the new plant's number was drawn. Its created event must not
 * come before that removal, so it gets a new number. This is a subquery, which is evaluated once, for the first count and
 * so after all plants are written. It calls the function only if a removal has drawn its number since `started`.
 */
const IN_ORDER = `(
  SELECT CASE WHEN removal = pg_sequence_last_value('last_removal') THEN true ELSE renumber_plants(number) END FROM started
)`;
const KNOWN = `CASE WHEN (SELECT count(*) FROM known) < cardinality($3::bigint[])
  THEN ARRAY(SELECT number::text FROM known) END AS accounts`;
function insertOf(check: string): string {
  return `${NUMBERED}, ${CREATED} ON CONFLICT (account, id) DO NOTHING RETURNING account, id
), ${countedFrom("created", { check })}
SELECT CASE WHEN count(*) < cardinality($2::bigint[])
  THEN ARRAY(SELECT account || ':' || id FROM created) END AS keys, ${KNOWN}
FROM created`;
}
/**
 * The same, but it fails if an id is taken, which costs the database a quarter less. Nothing reads the rows of either
 * insert, and PostgreSQL runs such parts of a statement from the last to the first.
 */
function insertNewOf(check: string): string {
  return `${NUMBERED}, ${countedFrom("numbered", { check })}, ${CREATED}) SELECT NULL AS keys, ${KNOWN}`;
}
const INSERT = { name: "create plants", text: insertOf(IN_ORDER) };
const INSERT_NEW = { name: "create new plants", text: insertNewOf(IN_ORDER) };
/**
 * The same for one plant alone, which costs the database a quarter less than a batch of one. $1 account, $2 id, then
 * the texts.
 */
const INSERT_ONE = {
  name: "create a new plant",
  text: `
WITH ${STARTED}, numbered AS MATERIALIZED (
  SELECT nextval('plant_number') AS number, stores.number AS account, now
  FROM started JOIN stores ON stores.number = $1 WHERE started.transaction IS NOT NULL
), counted AS (
  INSERT INTO plant_counts (account, slot, count)
  SELECT account, CASE WHEN ${IN_ORDER} THEN pg_backend_pid() % 64 END, 1 FROM numbered
  ON CONFLICT (account, slot) DO UPDATE SET count = plant_counts.count + 1
), created AS (
  INSERT INTO plants (number, account, id, ${TEXTS}, created_at, updated_at)
  SELECT number, account, $2, ${MEMBER_NAMES.map((_, at) => `$${3 + at}`)}, now, now FROM numbered
)
SELECT EXISTS (SELECT FROM numbered) AS "isKnown"`,
};
/**
 * Stores the creators of a batch in which people create plants, once the plants have their final numbers. The last two
 * parameters are the creators and the marks of imports.
 */
const CREATORS = textArrays(TEXTS_FROM + MEMBER_NAMES.length, 2);
const BY_PERSONS = `(SELECT CASE WHEN ${IN_ORDER} THEN keep_creators($1, $2, ${CREATORS}) END)`;
const INSERT_BY_PERSONS = { name: "create plants by persons", text: insertOf(BY_PERSONS) };
const INSERT_NEW_BY_PERSONS = { name: "create new plants by persons", text: insertNewOf(BY_PERSONS) };
/** Callers repeat several creates at a time, and a statement that fails is an error in the log of the database. */
const TAKEN_MS = 10_000;

/**
 * Reads the plants whose ids were taken. The message in the write-ahead log gives this transaction something to commit,
 * so its end waits for the disk and the synchronous standby, and thereby for everything it has read. Otherwise a
 * repeated create could be answered from a row that the standby does not have yet.
 */
const READ_BACK = `
SELECT plants.account || ':' || plants.id AS key, ${textsIn("plants")},
  pg_logical_emit_message(true, 'plantstore', 'read back') AS logged
FROM unnest($1::bigint[], $2::bigint[]) AS given (account, id)
JOIN plants ON plants.account = given.account AND plants.id = given.id`;

/** Writes the batches of one node. Their plants are expected to be new, unless some were not lately. */
export class PlantBatches implements BatchWriter<PlantsWrite> {
  #mayBeTakenUntil = 0;

  async write(client: LentConnection, batch: readonly PlantsWrite[], deadline: number) {
    const plants = distinctPlants(batch);
    const { created, accounts } = await this.#insert(client, plants, deadline);
    const isKnown = ({ account }: Pick<KeyedPlant, "account">) => accounts?.has(account) ?? true;
    const taken = plants.filter((plant) => !created.has(plant.key) && isKnown(plant));
    const kept =
      taken.length === 0
        ? new Map<string, PlantTexts>()
        : await readBack(client, taken, deadline).catch((error) => {
            // The created plants are committed: the others are written again without them.
            if (created.size === 0) throw error;
            return new Map<string, PlantTexts>();
          });
    for (const { key, plant } of plants) if (created.has(key)) kept.set(key, plant);
    const outcomes = batch.map((write) => (isKnown(write) ? outcomesOf(write, created, kept) : "account-removed"));
    return (at: number) => settle(batch[at] as PlantsWrite, outcomes[at] as WriteOutcome);
  }

  async #insert(client: LentConnection, plants: readonly KeyedPlant[], deadline: number): Promise<Inserted> {
    const byPersons = plants.some(({ creator }) => creator !== null);
    if (performance.now() >= this.#mayBeTakenUntil) {
      try {
        const [plant] = plants;
        if (plant && plants.length === 1 && !byPersons) return await insertOne(client, plant, deadline);
        return await insert(client, byPersons ? INSERT_NEW_BY_PERSONS : INSERT_NEW, plants, deadline, byPersons);
      } catch (error) {
        if (!isIdTaken(error)) throw error;
        this.#mayBeTakenUntil = performance.now() + TAKEN_MS;
      }
    }
    const inserted = await insert(client, byPersons ? INSERT_BY_PERSONS : INSERT, plants, deadline, byPersons);
    if (inserted.created.size < plants.length) this.#mayBeTakenUntil = performance.now() + TAKEN_MS;
    return inserted;
  }
}

/** The first of several plants with one id was created; later ones are compared with it. */
function outcomesOf(
  write: PlantsWrite,
  created: Set<string>,
  kept: ReadonlyMap<string, PlantTexts>,
): (CreateOutcome | undefined)[] {
  return write.plants.map((plant) => {
    const key = keyOf(write.account, plant);
    const existing = kept.get(key);
    if (!existing) return undefined;
    if (created.delete(key)) return "created";
    return outcomeBeside(existing, plant);
  });
}

function settle(write: PlantsWrite, outcome: WriteOutcome): PlantsWrite | undefined {
  if (outcome === "account-removed") write.settle(undefined);
  else if (isSettled(outcome)) write.settle(outcome);
  else return restOf(write, outcome);
  return undefined;
}

function isSettled(outcome: (CreateOutcome | undefined)[]): outcome is CreateOutcome[] {
  return !outcome.includes(undefined);
}

/** The plants without an outcome as a write of their own, so that the others keep theirs. */
function restOf(write: PlantsWrite, outcomes: readonly (CreateOutcome | undefined)[]): PlantsWrite {
  const plants = write.plants.filter((_, at) => outcomes[at] === undefined);
  const resolve = (rest: CreateOutcome[]) => {
    const next = rest.values();
    write.resolve(outcomes.map((outcome) => outcome ?? (next.next().value as CreateOutcome)));
  };
  return new PlantsWrite(write.account, plants, write.span, resolve, write.reject, write.by);
}

/** The first plant with each id. */
function distinctPlants(batch: readonly PlantsWrite[]): KeyedPlant[] {
  const distinct = new Map<string, KeyedPlant>();
  for (const { account, plants, by } of batch) {
    const doer = { creator: by ? storedActor(by) : null, importMark: by?.importMark ?? null };
    for (const plant of plants) {
      const key = keyOf(account, plant);
      if (!distinct.has(key)) distinct.set(key, { account, plant, key, ...doer });
    }
  }
  return [...distinct.values()];
}

function keyOf(account: AccountNumber, plant: NewPlant): string {
  return `${account}:${plant.id}`;
}

interface Inserted {
  readonly created: Set<string>;
  /** The accounts that exist; undefined if all do. */
  readonly accounts: ReadonlySet<AccountNumber> | undefined;
}

async function insert(
  client: LentConnection,
  statement: { readonly name: string; readonly text: string },
  plants: readonly KeyedPlant[],
  deadline: number,
  byPersons: boolean,
): Promise<Inserted> {
  const values = [
    int8Array(plants.map(({ account }) => account)),
    int8Array(plants.map(({ plant }) => plant.id)),
    int8Array([...new Set(plants.map(({ account }) => account))]),
    ...MEMBER_NAMES.map((member) => textArray(plants.map(({ plant }) => plant[member] ?? null))),
  ];
  if (byPersons) {
    values.push(textArray(plants.map(({ creator }) => creator)));
    values.push(textArray(plants.map(({ importMark }) => importMark)));
  }
  const { rows } = await client.query<{ keys: string[] | null; accounts: string[] | null }>(
    { ...statement, query_timeout: msUntil(deadline) },
    values,
  );
  const [row] = rows;
  const accounts = row?.accounts ? new Set(row.accounts.map(Number)) : undefined;
  const isKnown = ({ account }: KeyedPlant) => accounts?.has(account) ?? true;
  return { created: new Set(row?.keys ?? plants.filter(isKnown).map(({ key }) => key)), accounts };
}

async function insertOne(
  client: LentConnection,
  { account, plant, key }: KeyedPlant,
  deadline: number,
): Promise<Inserted> {
  const { rows } = await client.query<{ isKnown: boolean }>({ ...INSERT_ONE, query_timeout: msUntil(deadline) }, [
    account,
    plant.id,
    ...MEMBER_NAMES.map((member) => plant[member] ?? null),
  ]);
  return rows[0]?.isKnown
    ? { created: new Set([key]), accounts: undefined }
    : { created: new Set(), accounts: new Set() };
}

async function readBack(
  client: LentConnection,
  plants: readonly KeyedPlant[],
  deadline: number,
): Promise<Map<string, PlantTexts>> {
  const values = [int8Array(plants.map(({ account }) => account)), int8Array(plants.map(({ plant }) => plant.id))];
  const { rows } = await client.query<TextRow & { key: string }>(
    { name: "read back", text: READ_BACK, query_timeout: msUntil(deadline) },
    values,
  );
  return new Map(rows.map((row) => [row.key, textsFromRow(row)]));
}
