/** Reads a system's database directly, around the system itself. */
import { Database } from "bun:sqlite";
import type { Peer } from "#peer/peer.ts";
import { queryOnce } from "../../../test/support/query.ts";
import type { Place } from "./place.ts";

type Store = Pick<Place, "databaseFile" | "databaseUrl">;

export async function query<Row>(place: Store, sql: string): Promise<Row[]> {
  if (place.databaseUrl) return queryOnce<Row & Record<string, unknown>>(place.databaseUrl, sql);
  const database = new Database(place.databaseFile, { readwrite: true, safeIntegers: true });
  try {
    return database.query(sql).all() as Row[];
  } finally {
    database.close();
  }
}

export async function countRows(place: Store): Promise<number> {
  const [row] = await query<{ total: bigint | number }>(place, "SELECT count(*) AS total FROM plants");
  return Number(row?.total ?? 0);
}

const quietMs = 1000;
const settleMsMax = 15_000;

/**
 * Waits until the requests that a load left open have ended, so that the number of rows is the same for a second, and
 * returns it.
 */
export async function settledRows(place: Place): Promise<number> {
  const begin = performance.now();
  let rows = await countRows(place);
  let since = begin;
  while (performance.now() - since < quietMs && performance.now() - begin < settleMsMax) {
    await Bun.sleep(200);
    const now = await countRows(place);
    if (now !== rows) since = performance.now();
    rows = now;
  }
  return rows;
}

export async function storedIds(peer: Peer, place: Place): Promise<Set<string>> {
  const sql = `SELECT CAST(${peer.idColumn} AS TEXT) AS id FROM plants`;
  const rows = await query<{ id: string }>(place, sql);
  return new Set(rows.map(({ id }) => id));
}
