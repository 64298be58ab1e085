/** The range's own FTS5 table. */
export function rangeTable(range: number): string {
  return `plant_search_${range}`;
}

/** FTS5's own blocks have 4,050 bytes, for pages of 4,096. */
const PAGE_BYTES_OUTSIDE_BLOCK = 46;

/**
 * A table of trigrams without text or positions (https://www.sqlite.org/fts5.html, 4.4.3 and 4.7), which is the smallest and
 * the fastest to fill; the rows it finds are compared with the plants themselves. A block fits in a page of the file, so that
 * none is spread over several, each of which may have to come from the disk. Segments are merged in short steps,
 * as soon as there are `mergedSegments` of about one size, and never during the write of a plant.
 */
export function searchTable(name: string, mergedSegments: number): readonly string[] {
  return [
    `CREATE VIRTUAL TABLE ${name} USING fts5 (
      account, name, tag,
      content = '', columnsize = 0, detail = none, tokenize = 'trigram case_sensitive 1'
    )`,
    `INSERT INTO ${name} (${name}, rank) SELECT 'pgsz', page_size - ${PAGE_BYTES_OUTSIDE_BLOCK} FROM pragma_page_size`,
    `INSERT INTO ${name} (${name}, rank) VALUES ('automerge', 0)`,
    `INSERT INTO ${name} (${name}, rank) VALUES ('crisismerge', 1999)`,
    `INSERT INTO ${name} (${name}, rank) VALUES ('usermerge', ${mergedSegments})`,
  ];
}
