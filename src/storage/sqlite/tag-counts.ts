import type { Database } from "bun:sqlite";
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
} from "../tag-counts.ts";

interface TaggedPlant {
  readonly account: AccountNumber;
  readonly tag: string | null;
}

/** Keeps the counts of the tags of indexed plants. It runs inside the indexer's transaction. */
export class TagCounter {
  readonly #changes = new Map<AccountNumber, TagChanges>();
  readonly #statements: ReturnType<typeof statementsOn>;

  constructor(database: Database) {
    this.#statements = statementsOn(database);
  }

  /** Counts `by` more plants of this account with this tag; `write` puts it into the database. */
  add({ account, tag }: TaggedPlant, by: number): void {
    const changes = this.#changes.get(account) ?? { tags: new Map(), other: 0 };
    this.#changes.set(account, changes);
    addTag(changes, tag, by);
  }

  write(): void {
    const { count, length, add, drop } = this.#statements;
    for (const [account, changes] of this.#changes) {
      const kept = {
        countOf: (tag: string) => count.get(account, tag)?.count ?? 0,
        length: () => length.get(account)?.length ?? 0,
      };
      for (const { kind, tag, count: by } of changedRows(changes, kept)) {
        add.run(account, kind, tag, by);
        if (by < 0) drop.run(account, kind, tag);
      }
    }
    this.#changes.clear();
  }
}

function statementsOn(database: Database) {
  return {
    count: database.prepare<{ count: number }, [AccountNumber, string]>(
      "SELECT count FROM plant_search_tags WHERE account = ? AND kind = 'tag' AND tag = ?",
    ),
    length: database.prepare<{ length: number }, [AccountNumber]>(
      "SELECT count(*) AS length FROM plant_search_tags WHERE account = ? AND kind = 'tag'",
    ),
    add: database.prepare(
      `INSERT INTO plant_search_tags (account, kind, tag, count) VALUES (?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET count = count + excluded.count`,
    ),
    drop: database.prepare("DELETE FROM plant_search_tags WHERE account = ? AND kind = ? AND tag = ? AND count <= 0"),
  };
}

/** Reads the counts of an account from one snapshot, on a connection of a reading thread. */
export function tagCountsReader(database: Database): (account: AccountNumber) => TagCounts {
  const kept = database.prepare<TagCountRow, [AccountNumber]>(
    "SELECT kind, tag, count FROM plant_search_tags WHERE account = ?",
  );
  const unindexed = database.prepare<TagCountRow, [AccountNumber]>(
    countByTag(
      `
      SELECT name, tag FROM plants
      WHERE account = ? AND number > (SELECT coalesce(max(last), 0) FROM plant_search_ranges)
      ORDER BY number DESC LIMIT ${UNINDEXED_READ_MAX}`,
      HAS_SHORT_NAME,
    ),
  );
  const isBehind = database.prepare("SELECT 1 FROM plant_search_changes WHERE account = ? LIMIT 1");
  const read = database.transaction((account: AccountNumber) => {
    const beyond = unindexed.all(account);
    const plants = beyond.reduce((sum, { count }) => sum + count, 0);
    return summedCounts(
      [...kept.all(account), ...beyond],
      plants === UNINDEXED_READ_MAX || isBehind.get(account) !== null,
    );
  });
  return (account) => read.deferred(account);
}
