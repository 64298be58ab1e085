import type { TagCounts } from "#core/reads.ts";

/** A store's kept tags: beyond that many, further ones are counted together. */
const TAGS_KEPT_MAX = 5000;
const TAGS_TOLD_MAX = 1000;
/** Longer tags are counted together, since nobody chooses one from a list. */
const TAG_BYTES_MAX = 200;
/** A tag cut to this length is still too long. */
export const CUT_TAG_LENGTH = TAG_BYTES_MAX + 1;
/** A store has fewer plants beyond the index unless the indexer is behind. */
export const UNINDEXED_READ_MAX = 20_000;

/** A row of `plant_search_tags`; `tag` is "" unless the kind is "tag". */
export interface TagCountRow {
  readonly kind: "untagged" | "other" | "tag";
  readonly tag: string;
  readonly count: number;
}

/** How many plants got or lost a tag (null for plants without one); `other` has those whose tag is not known any more. */
export interface TagChanges {
  readonly tags: Map<string | null, number>;
  other: number;
}

/** The rows that a store has already. */
interface KeptTags {
  countOf(tag: string): number;
  /** The number of tags that have rows. */
  length(): number;
}

/** Adds `by` plants to the count of a tag. */
export function addTag({ tags }: TagChanges, tag: string | null, by: number): void {
  tags.set(tag, (tags.get(tag) ?? 0) + by);
}

/** The rows that change, each with the difference of its count. */
export function changedRows({ tags, other }: TagChanges, kept: KeptTags): TagCountRow[] {
  const rows: TagCountRow[] = [];
  const room = roomOf(kept);
  let rest = other;
  for (const [tag, by] of tags) {
    if (tag === null) rows.push({ kind: "untagged", tag: "", count: by });
    else {
      const own = isLong(tag) ? 0 : ownPart(by, kept.countOf(tag), room);
      rows.push({ kind: "tag", tag, count: own });
      rest += by - own;
    }
  }
  rows.push({ kind: "other", tag: "", count: rest });
  return rows.filter(({ count }) => count !== 0);
}

/** Returns a function that takes a place for one more tag, if one is left. The kept tags are counted only then. */
function roomOf(kept: KeptTags): () => boolean {
  let room: number | undefined;
  return () => {
    room ??= TAGS_KEPT_MAX - kept.length();
    return room-- > 0;
  };
}

/** The part of a difference that the row of the tag takes; the rest is counted with other tags. */
function ownPart(by: number, before: number, hasRoom: () => boolean): number {
  if (before > 0) return Math.max(by, -before);
  return by > 0 && hasRoom() ? by : 0;
}

function isLong(tag: string): boolean {
  return Buffer.byteLength(tag) > TAG_BYTES_MAX;
}

/** Sums the kept rows of a store and those of its plants beyond the index, of which `about` says whether any were left out. */
export function summedCounts(rows: Iterable<TagCountRow>, about: boolean): TagCounts {
  const sums = { untagged: 0, other: 0 };
  const byTag = new Map<string, number>();
  for (const { kind, tag, count } of rows) {
    if (kind === "tag") byTag.set(tag, (byTag.get(tag) ?? 0) + count);
    else sums[kind] += count;
  }
  const tags = [...byTag]
    .map(([tag, count]) => ({ tag, count }))
    .sort((a, b) => b.count - a.count || Buffer.compare(Buffer.from(a.tag), Buffer.from(b.tag)));
  const beyond = tags.slice(TAGS_TOLD_MAX).reduce((sum, { count }) => sum + count, 0);
  return { tags: tags.slice(0, TAGS_TOLD_MAX), other: sums.other + beyond, untagged: sums.untagged, about };
}

/** The condition for plants beyond the index whose tag is read: it stands after the name, which may be long. */
export const HAS_SHORT_NAME = "octet_length(name) <= 2000";

/** Counts plants by tag as rows of `plant_search_tags`. The first argument selects them, the second one those whose tag is read. */
export function countByTag(plants: string, isRead = "true"): string {
  const isOther = `tag IS NOT NULL AND NOT (${isRead} AND octet_length(tag) <= ${TAG_BYTES_MAX})`;
  return `
    SELECT kind, CASE kind WHEN 'tag' THEN tag ELSE '' END AS tag, count(*) AS count FROM (
      SELECT CASE WHEN tag IS NULL THEN 'untagged' WHEN ${isOther} THEN 'other' ELSE 'tag' END AS kind, tag
      FROM (${plants}) AS plants
    ) AS tagged GROUP BY 1, 2`;
}
