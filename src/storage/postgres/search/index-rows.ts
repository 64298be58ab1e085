import type { AccountNumber } from "#core/plant.ts";
import { CUT_TAG_LENGTH } from "#storage/tag-counts.ts";
import { int8Array, textArray } from "../binary-array.ts";
import type { LentConnection } from "../pool.ts";
import { INDEXED_NAME_LENGTH_MAX, IS_PLAIN, PLAIN_TEXT, searchText } from "./search-text.ts";
import { countChanges } from "./tag-counts.ts";

/** Nobody waits for the index, and merging a long pending list takes time. */
export const WRITE_MS_MAX = 60_000;
/** The number of names that this process folds at a time, since requests wait meanwhile. */
const FOLDED_AT_ONCE_MAX = 512;

const FROM_PLANTS = "FROM plants WHERE account = $1 AND number > $2 AND number <= $3";
const COLUMNS = `
  plants.number::text, plants.id::text, CASE WHEN char_length(name) <= ${INDEXED_NAME_LENGTH_MAX} THEN name END AS name,
  hashtext(tag)::text AS tag_hash`;
/** There are no rows beyond the mark; if there were any, they would be in the way of the new ones. */
const CLEAR = "DELETE FROM plant_search WHERE account = $1 AND number > $2";
const INSERT_SLICE = `
WITH slice AS MATERIALIZED (
  SELECT number, id, CASE WHEN ${IS_PLAIN} THEN ${PLAIN_TEXT} END AS text, hashtext(tag) AS tag_hash
  ${FROM_PLANTS} ORDER BY number LIMIT $4
), inserted AS (
  INSERT INTO plant_search (account, number, id, text, tag_hash)
  SELECT $1, number, id, text, tag_hash FROM slice WHERE text IS NOT NULL AND (SELECT count(*) FROM slice) = $4
)
SELECT max(number)::text AS last, count(*) AS plants, count(*) - count(text) AS others FROM slice`;
const OTHERS = `
SELECT ${COLUMNS} FROM (SELECT *, number AS place ${FROM_PLANTS}) AS plants
WHERE NOT ${IS_PLAIN} ORDER BY place LIMIT ${FOLDED_AT_ONCE_MAX}`;
const INSERT = `
INSERT INTO plant_search (account, number, id, text, tag_hash)
SELECT $1, number, id, text, tag_hash::integer
FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[]) AS given (number, id, text, tag_hash)`;
/** The last condition keeps the planner, which expects few ids to be left by it, from reading all plants of the account. */
const CHANGED = `
SELECT ${COLUMNS}, left(tag, ${CUT_TAG_LENGTH}) AS tag
FROM unnest($2::bigint[], $3::bigint[]) AS given (number, id)
JOIN plants ON plants.account = $1 AND plants.id = given.id AND plants.number = given.number
WHERE given.id + 0 = given.id`;
const DROP = "DELETE FROM plant_search WHERE account = $1 AND number = ANY($2::bigint[]) RETURNING tag_hash AS hash";

interface IndexedRow {
  readonly number: string;
  readonly id: string;
  /** Null if the name is too long to index. */
  readonly name: string | null;
  readonly tag_hash: string | null;
}

/**
 * Puts the next plants after a number into the index, up to `until`, and returns the last one's number; undefined if there
 * are fewer, and nothing was done. Names of the usual characters never leave the database; the others are folded by this process.
 */
export async function insertSlice(
  client: LentConnection,
  account: AccountNumber,
  { after, until, plants }: { readonly after: bigint; readonly until: bigint; readonly plants: number },
): Promise<bigint | undefined> {
  await client.query(CLEAR, [account, after]);
  const { rows } = await client.query<{ last: string | null; plants: number; others: number }>(
    { text: INSERT_SLICE, query_timeout: WRITE_MS_MAX },
    [account, after, until, plants],
  );
  const [slice] = rows;
  if (!slice?.last || slice.plants < plants) return undefined;
  const last = BigInt(slice.last);
  if (slice.others > 0) await insertOthers(client, account, after, last);
  return last;
}

async function insertOthers(
  client: LentConnection,
  account: AccountNumber,
  after: bigint,
  last: bigint,
): Promise<void> {
  for (let from = after; ; ) {
    const { rows } = await client.query<IndexedRow>(OTHERS, [account, from, last]);
    await insert(client, account, rows);
    const end = rows.at(-1);
    if (!end || rows.length < FOLDED_AT_ONCE_MAX) return;
    from = BigInt(end.number);
  }
}

/** Brings the rows of plants that were changed or removed up to date. */
export async function replaceRows(
  client: LentConnection,
  account: AccountNumber,
  changed: readonly Pick<IndexedRow, "number" | "id">[],
): Promise<void> {
  const numbers = int8Array(changed.map(({ number }) => BigInt(number)));
  const ids = int8Array(changed.map(({ id }) => BigInt(id)));
  const { rows: dropped } = await client.query<{ hash: number | null }>(DROP, [account, numbers]);
  const { rows } = await client.query<IndexedRow & { tag: string | null }>(CHANGED, [account, numbers, ids]);
  const plants = [...new Map(rows.map((row) => [row.number, row])).values()];
  await insert(client, account, plants);
  await countChanges(
    client,
    account,
    dropped.map(({ hash }) => hash),
    plants.map(({ tag }) => tag),
  );
}

async function insert(client: LentConnection, account: AccountNumber, rows: readonly IndexedRow[]): Promise<void> {
  const values = [
    account,
    int8Array(rows.map(({ number }) => BigInt(number))),
    int8Array(rows.map(({ id }) => BigInt(id))),
    textArray(rows.map(({ name }) => (name === null ? null : searchText(name)))),
    textArray(rows.map(({ tag_hash }) => tag_hash)),
  ];
  await client.query({ text: INSERT, query_timeout: WRITE_MS_MAX }, values);
}
