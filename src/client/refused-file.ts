import type { ImportProgress } from "./import.ts";

const CARRIAGE_RETURN_AT = -2;

/** The refused records as a file that can be mended and imported again: the header, if there is one, and the records. */
export function refusedFile({ header, refused }: Pick<ImportProgress, "header" | "refused">): Blob {
  return new Blob([header.slice(), ...refusedLines({ header, refused })]);
}

/** The refused records, each with a line's end as the header has it. */
export function refusedLines({
  header,
  refused,
}: Pick<ImportProgress, "header" | "refused">): Uint8Array<ArrayBuffer>[] {
  const lineEnd = header.at(CARRIAGE_RETURN_AT) === 0x0d ? [0x0d, 0x0a] : [0x0a];
  return refused.map(({ record }) => {
    const line = new Uint8Array(record.length + lineEnd.length);
    line.set(record);
    line.set(lineEnd, record.length);
    return line;
  });
}
