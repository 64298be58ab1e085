import type { Database } from "bun:sqlite";
import type { AccountNumber } from "#core/plant.ts";
import { SUGGESTED_TAG, sampleOf, TAGS_SUGGESTED_MAX } from "../tag-sample.ts";

/** Samples the tags of an account from one snapshot, on a connection of a reading thread. */
export function tagSampler(database: Database): (account: AccountNumber) => readonly string[] {
  const ends = database.prepare<{ first: number | null; last: number; plants: number }, [AccountNumber]>(`
    SELECT (SELECT number FROM plants WHERE account = ?1 ORDER BY number LIMIT 1) AS first,
      (SELECT number FROM plants WHERE account = ?1 ORDER BY number DESC LIMIT 1) AS last,
      (SELECT coalesce(sum(count), 0) FROM plant_counts WHERE account = ?1) AS plants`);
  const tags = database.prepare<{ tag: string | null }, [AccountNumber, number, number, number]>(
    `SELECT ${SUGGESTED_TAG} AS tag FROM plants WHERE account = ? AND number > ? AND number <= ? ORDER BY number DESC LIMIT ?`,
  );
  const countByTag = database.transaction((account: AccountNumber) => {
    const counts = new Map<string, number>();
    const { first, last, plants } = ends.get(account) ?? { first: null, last: 0, plants: 0 };
    if (first === null) return counts;
    const { shifts, plantsEach } = sampleOf(plants);
    const length = Math.ceil((last - first + 1) / shifts.length);
    for (const [stretch, shift] of shifts.entries()) {
      const end = last - Math.floor((stretch + shift) * length);
      for (const { tag } of tags.iterate(account, end - length, end, plantsEach)) {
        if (tag !== null) counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
    }
    return counts;
  });
  return (account) => {
    const byCount = [...countByTag.deferred(account)].sort(
      ([a, m], [b, n]) => n - m || Buffer.compare(Buffer.from(a), Buffer.from(b)),
    );
    return byCount.slice(0, TAGS_SUGGESTED_MAX).map(([tag]) => tag);
  };
}
