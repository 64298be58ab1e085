import { Kysely } from "kysely";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { PlantReads, Reads } from "#core/reads.ts";
import { eventReads } from "../event-reader.ts";
import { importReads } from "../import-rows.ts";
import { EMPTY_PAGE, EXPORT_PAGE_TEXT_MAX, exportedPages, pageRequest } from "../plant-page.ts";
import { plantLookup } from "../plant-row.ts";
import { RequestLogReader } from "../request-log-query.ts";
import type { Schema } from "../schema.ts";
import { sharedReads } from "../shared-reads.ts";
import { pooledDialect } from "./dialect.ts";
import { asFailure, toFailure } from "./errors.ts";
import { EVENT_INDEX_HINTS, stepReader } from "./event-reader.ts";
import { BEGIN_ORDERED, listedPage, readInOrder, scannedPage } from "./plant-scan.ts";
import type { LentConnection, Pool } from "./pool.ts";
import { endPools, openPools, type Waits } from "./pools.ts";
import type { Reach } from "./reach.ts";
import { searchedPage } from "./search/plant-search.ts";
import { readTagCounts } from "./search/tag-counts.ts";

/** Opens a database whose schema is up to date. */
export function openPostgresReads(url: string, reach: Reach, waits?: Waits): Reads {
  const pools = openPools(url, ["reading", "exporting"], { ...waits, reach });
  const { reading: readPool, exporting: exportPool } = pools;
  const db = new Kysely<Schema>({ dialect: pooledDialect(readPool) });
  const plants = plantReads(readPool, exportPool);
  return {
    plants,
    events: eventReads(db, stepReader(readPool), EVENT_INDEX_HINTS),
    imports: importReads({ db, engine: "postgres" }, plants),
    requests: new RequestLogReader(readPool.rows),
    ...sharedReads(db),
    close: () => endPools(pools),
  };
}

function plantReads(readPool: Pool, exportPool: Pool): PlantReads {
  const inOrder = <T>(read: (client: LentConnection) => Promise<T>) => asFailure(() => readInOrder(readPool, read));
  return {
    ...plantLookup(readPool.rows),
    async list(account, query) {
      const request = pageRequest(account, query);
      if (!request) return EMPTY_PAGE;
      return inOrder((client) => (request.filter.open ? listedPage(client, request) : searchedPage(client, request)));
    },
    tagCounts: (account) => inOrder((client) => readTagCounts(client, account)),
    export: (account) => exportPages(exportPool, account),
  };
}

/**
 * Every plant of the account in the order of creation, in pages, from one snapshot: a single transaction on a connection of its own.
 */
export async function* exportPages(pool: Pool, account: AccountNumber): AsyncGenerator<readonly Plant[], undefined> {
  const client = await pool.connect();
  try {
    await client.query(BEGIN_ORDERED);
    yield* exportedPages(account, (request) => scannedPage(client, request, undefined, EXPORT_PAGE_TEXT_MAX));
  } catch (error) {
    throw toFailure(error);
  } finally {
    await client.query("ROLLBACK").catch(() => undefined);
    client.release();
  }
}
