import { CARRIAGE_RETURN, LINE_FEED } from "#contract/record-scanner.ts";
import type { ImportProgress } from "./import.ts";
import { joined } from "./stream.ts";

type RefusedRecords = Pick<ImportProgress, "header" | "refused">;

/** The refused records as a file that can be corrected and imported again: the header, if there is one, and the records. */
export function refusedFile(progress: RefusedRecords): Blob {
  return new Blob([progress.header.slice(), ...refusedLines(progress)]);
}

/** The refused records, each with the line ending of the header: CRLF or LF. */
export function refusedLines({ header, refused }: RefusedRecords): Uint8Array<ArrayBuffer>[] {
  const lineEnd = Uint8Array.from(header.at(-2) === CARRIAGE_RETURN ? [CARRIAGE_RETURN, LINE_FEED] : [LINE_FEED]);
  return refused.map(({ record }) => joined([record, lineEnd]));
}
