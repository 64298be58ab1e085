import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { join } from "node:path";

/** An odd factor, so that the numbers below 2^64 map to distinct ids in no order. */
const SCATTER = 0x9e3779b97f4a7c15n;
const ROWS_AT_ONCE = 10_000;

export interface BulkRows {
  readonly csv: string;
  readonly ndjson: string;
  /** Every column of the table, for sqlite3's own .import. */
  readonly sqlite: string;
}

/** Writes the same plants, in random order of ids, in each format. */
export async function writeRows(folder: string, count: number, first = 1): Promise<BulkRows> {
  const files = {
    csv: join(folder, "rows.csv"),
    ndjson: join(folder, "rows.ndjson"),
    sqlite: join(folder, "rows.sqlite.csv"),
  };
  const forms: Record<keyof BulkRows, (at: number) => string> = {
    csv: (at) => `${idOf(at)},Monstera deliciosa no. ${at},indoor\n`,
    ndjson: (at) => `{"id":${idOf(at)},"name":"Monstera deliciosa no. ${at}","tag":"indoor"}\n`,
    sqlite: (at) => `${at},1,${idOf(at)},Monstera deliciosa no. ${at},indoor,1,0,0\n`,
  };
  for (const form of ["csv", "ndjson", "sqlite"] as const) {
    const file = createWriteStream(files[form]);
    if (form === "csv") file.write("id,name,tag\n");
    for (let done = 0; done < count; done += ROWS_AT_ONCE) {
      const places = Array.from({ length: Math.min(ROWS_AT_ONCE, count - done) }, (_, i) => first + done + i);
      if (!file.write(places.map(forms[form]).join(""))) await once(file, "drain");
    }
    file.end();
    await once(file, "close");
  }
  return files;
}

function idOf(at: number): bigint {
  return BigInt.asIntN(64, BigInt(at) * SCATTER);
}
