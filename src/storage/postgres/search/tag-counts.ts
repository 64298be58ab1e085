import type { AccountNumber } from "#core/plant.ts";
import type { TagCounts } from "#core/reads.ts";
import {
  addTag,
  changedRows,
  countByTag,
  HAS_SHORT_NAME,
  summedCounts,
  type TagChanges,
  type TagCountRow,
  UNINDEXED_READ_MAX,
} from "#storage/tag-counts.ts";
import type { LentConnection } from "../pool.ts";

const KEPT = "SELECT kind, tag, count, hashtext(tag) AS hash FROM plant_search_tags WHERE account = $1";
const SLICE = countByTag("SELECT name, tag FROM plants WHERE account = $1 AND number > $2 AND number <= $3");
const UNINDEXED = countByTag(
  `SELECT name, tag FROM plants
  WHERE account = $1 AND number > coalesce((SELECT number FROM plant_search_marks WHERE account = $1), 0)
  ORDER BY number DESC LIMIT ${UNINDEXED_READ_MAX}`,
  HAS_SHORT_NAME,
);
const IS_BEHIND = "SELECT 1 FROM plant_search_changes WHERE account = $1 LIMIT 1";
const ADD = `
INSERT INTO plant_search_tags (account, kind, tag, count)
SELECT $1, kind, tag, count FROM unnest($2::text[], $3::text[], $4::bigint[]) AS given (kind, tag, count)
ON CONFLICT (account, kind, tag) DO UPDATE SET count = plant_search_tags.count + excluded.count`;
const DROP = "DELETE FROM plant_search_tags WHERE account = $1 AND count <= 0";

/** Counts the tags of the plants of a slice, which is now in the index. The account's mark is locked. */
export async function countSlice(
  client: LentConnection,
  account: AccountNumber,
  after: bigint,
  last: bigint,
): Promise<void> {
  const { rows } = await client.query<TagCountRow>(SLICE, [account, after, last]);
  const changes: TagChanges = { tags: new Map(), other: 0 };
  for (const { kind, tag, count } of rows) {
    if (kind === "other") changes.other += count;
    else addTag(changes, kind === "untagged" ? null : tag, count);
  }
  await write(client, account, changes);
}

/** Counts the tags of changed plants: `before` has the hashes of those that the index knew, `after` the tags of now. */
export async function countChanges(
  client: LentConnection,
  account: AccountNumber,
  before: readonly (number | null)[],
  after: readonly (string | null)[],
): Promise<void> {
  const changes: TagChanges = { tags: new Map(), other: 0 };
  for (const tag of after) addTag(changes, tag, 1);
  await write(client, account, changes, before);
}

async function write(
  client: LentConnection,
  account: AccountNumber,
  changes: TagChanges,
  lostHashes: readonly (number | null)[] = [],
): Promise<void> {
  const { rows } = await client.query<TagCountRow & { hash: number }>(KEPT, [account]);
  const tags = rows.filter(({ kind }) => kind === "tag");
  const byHash = new Map(tags.map(({ hash, tag }) => [hash, tag]));
  for (const hash of lostHashes) {
    const tag = hash === null ? null : byHash.get(hash);
    if (tag === undefined) changes.other--;
    else addTag(changes, tag, -1);
  }
  const counts = new Map(tags.map(({ tag, count }) => [tag, count]));
  const changed = changedRows(changes, { countOf: (tag) => counts.get(tag) ?? 0, length: () => counts.size });
  if (changed.length === 0) return;
  const columns = [changed.map(({ kind }) => kind), changed.map(({ tag }) => tag), changed.map(({ count }) => count)];
  await client.query(ADD, [account, ...columns]);
  if (lostHashes.length > 0) await client.query(DROP, [account]);
}

/** Must be called in a snapshot. */
export async function readTagCounts(client: LentConnection, account: AccountNumber): Promise<TagCounts> {
  const { rows: kept } = await client.query<TagCountRow>(KEPT, [account]);
  const { rows: unindexed } = await client.query<TagCountRow>(UNINDEXED, [account]);
  const plants = unindexed.reduce((sum, { count }) => sum + count, 0);
  const isBehind = (await client.query(IS_BEHIND, [account])).rows.length > 0;
  return summedCounts([...kept, ...unindexed], isBehind || plants === UNINDEXED_READ_MAX);
}
