/** The size of a workbook, found before it is read whole. */

/** A file within an archive, as the archive's directory tells it (APPNOTE 4.3.12). */
interface Entry {
  readonly name: string;
  readonly isPacked: boolean;
  /** Where its local header begins. */
  readonly at: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

const DIRECTORY_END = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;

/** The files of an archive; undefined if it has no directory. */
export function entriesOf(archive: DataView): readonly Entry[] | undefined {
  let end = archive.byteLength - 22;
  while (end >= 0 && archive.getUint32(end, true) !== DIRECTORY_END) end--;
  if (end < 0) return undefined;
  const entries: Entry[] = [];
  let at = archive.getUint32(end + 16, true);
  while (at + 46 <= end && archive.getUint32(at, true) === DIRECTORY_ENTRY) {
    const [name = 0, ...further] = [28, 30, 32].map((offset) => archive.getUint16(at + offset, true));
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(archive.buffer, at + 46, name)),
      isPacked: archive.getUint16(at + 10, true) !== 0,
      at: archive.getUint32(at + 42, true),
      packedBytes: archive.getUint32(at + 20, true),
      unpackedBytes: archive.getUint32(at + 24, true),
    });
    at += 46 + name + further.reduce((sum, length) => sum + length, 0);
  }
  return entries;
}

export interface Extent {
  readonly rows: number;
  readonly columns: number;
}

/** The last row and column that hold something, in any sheet: a reader fills all cells up to them. */
export async function extentOf(archive: DataView, entries: readonly Entry[]): Promise<Extent> {
  const extent = { rows: 0, columns: 0 };
  for (const entry of entries.filter(({ name }) => /^\/?xl\/worksheets\/[^/]*\.xml$/i.test(name))) {
    let rest = "";
    for await (const text of textOf(archive, entry)) {
      rest += text;
      for (const [, column = "", row = ""] of rest.matchAll(FILLED_CELL)) {
        extent.rows = Math.max(extent.rows, Number(row));
        extent.columns = Math.max(extent.columns, columnNumber(column));
      }
      const cut = rest.lastIndexOf("<");
      rest = cut < 0 ? "" : rest.slice(cut);
    }
  }
  return extent;
}

/** A cell that is no empty element, such as one that has a style alone. */
const FILLED_CELL = /<(?:\w+:)?c\s[^<>]*?\br="([A-Z]{1,3})(\d{1,7})"[^<>]*(?<!\/)>/g;

function columnNumber(letters: string): number {
  return [...letters].reduce((number, letter) => 26 * number + letter.charCodeAt(0) - 64, 0);
}

async function* textOf(archive: DataView, { at, isPacked, packedBytes }: Entry): AsyncGenerator<string> {
  const start = at + 30 + archive.getUint16(at + 26, true) + archive.getUint16(at + 28, true);
  const stream = new Blob([new Uint8Array(archive.buffer as ArrayBuffer, start, packedBytes)]).stream();
  const unpacked = isPacked ? stream.pipeThrough(new DecompressionStream("deflate-raw")) : stream;
  const decoder = new TextDecoder();
  const reader = unpacked.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}
