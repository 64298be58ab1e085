import type { ImportProgress } from "./import.ts";

type RefusedRecords = Pick<ImportProgress, "header" | "refused">;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** The refused records as a file that can be corrected and imported again: the header, if there is one, and the records. */
export function refusedFile(progress: RefusedRecords): Blob {
  return new Blob([progress.header.slice(), ...refusedLines(progress)]);
}

/** The refused records, each with the line ending of the header: CRLF or LF. */
export function refusedLines({ header, refused }: RefusedRecords): Uint8Array<ArrayBuffer>[] {
  const lineEnd = header.at(-2) === CARRIAGE_RETURN ? [CARRIAGE_RETURN, LINE_FEED] : [LINE_FEED];
  return refused.map(({ record }) => {
    const line = new Uint8Array(record.length + lineEnd.length);
    line.set(record);
    line.set(lineEnd, record.length);
    return line;
  });
}
