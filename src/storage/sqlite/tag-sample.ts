import type { Database, Statement } from "bun:sqlite";
import type { AccountNumber } from "#core/plant.ts";
import { SUGGESTED_TAG, sampleOf, shiftOf, TAGS_SUGGESTED_MAX } from "../tag-sample.ts";

/** Samples the tags of an account, on a connection of a reading thread. */
export class TagSample {
  readonly #database: Database;
  readonly #count: Statement<{ count: number }, [AccountNumber]>;
  readonly #first: Statement<{ number: number }, [AccountNumber]>;
  readonly #last: Statement<{ number: number }, [AccountNumber]>;
  readonly #tags: Statement<{ tag: string | null }, [AccountNumber, number, number, number]>;

  constructor(database: Database) {
    this.#database = database;
    this.#count = database.prepare("SELECT coalesce(sum(count), 0) AS count FROM plant_counts WHERE account = ?");
    this.#first = database.prepare("SELECT number FROM plants WHERE account = ? ORDER BY number LIMIT 1");
    this.#last = database.prepare("SELECT number FROM plants WHERE account = ? ORDER BY number DESC LIMIT 1");
    this.#tags = database.prepare(
      `SELECT ${SUGGESTED_TAG} AS tag FROM plants WHERE account = ? AND number > ? AND number <= ? ORDER BY number DESC LIMIT ?`,
    );
  }

  suggest(account: AccountNumber): readonly string[] {
    const counts = this.#database.transaction(() => this.#countByTag(account)).deferred();
    const byCount = [...counts].sort(([a, m], [b, n]) => n - m || Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return byCount.slice(0, TAGS_SUGGESTED_MAX).map(([tag]) => tag);
  }

  #countByTag(account: AccountNumber): Map<string, number> {
    const counts = new Map<string, number>();
    const [first, last] = [this.#first.get(account)?.number, this.#last.get(account)?.number];
    if (first === undefined || last === undefined) return counts;
    const { stretches, plantsEach } = sampleOf(this.#count.get(account)?.count ?? 0);
    const length = Math.ceil((last - first + 1) / stretches);
    for (let stretch = 0; stretch < stretches; stretch++) {
      const end = last - Math.floor((stretch + shiftOf(stretch)) * length);
      for (const { tag } of this.#tags.iterate(account, end - length, end, plantsEach)) {
        if (tag !== null) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
    }
    return counts;
  }
}
