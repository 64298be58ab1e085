import { Kysely } from "kysely";
import type { PlantReads, Reads } from "#core/reads.ts";
import { eventReads } from "../event-reader.ts";
import { plantLookup } from "../plant-lookup.ts";
import { EMPTY_PAGE, pageRequest } from "../plant-page.ts";
import { RequestLogReader } from "../request-log-query.ts";
import type { Schema } from "../schema.ts";
import { sharedReads } from "../shared-reads.ts";
import { pooledDialect } from "./dialect.ts";
import { asFailure } from "./errors.ts";
import { stepReader } from "./event-reader.ts";
import { readInOrder } from "./ordered-reading.ts";
import { exportPages } from "./plant-export.ts";
import { scannedPage } from "./plant-scan.ts";
import type { LentConnection, Pool } from "./pool.ts";
import { endPools, openPools, type Waits } from "./pools.ts";
import type { Reach } from "./reach.ts";
import { searchedPage } from "./search/plant-search.ts";
import { suggestedTags } from "./tag-sample.ts";

/** Opens a database whose schema is up to date. */
export function openPostgresReads(url: string, reach: Reach, waits?: Waits): Reads {
  const pools = openPools(url, ["reading", "exporting"], { ...waits, reach });
  const { reading, exporting } = pools;
  const db = new Kysely<Schema>({ dialect: pooledDialect(reading) });
  return {
    plants: plantReads(reading, exporting),
    events: eventReads(db, stepReader(reading)),
    requests: new RequestLogReader(reading.rows),
    ...sharedReads(db),
    close: () => endPools(pools),
  };
}

function plantReads(reading: Pool, exporting: Pool): PlantReads {
  const inOrder = <T>(read: (client: LentConnection) => Promise<T>) => asFailure(() => readInOrder(reading, read));
  return {
    ...plantLookup(reading.rows),
    async list(account, query) {
      const request = pageRequest(account, query);
      if (!request) return EMPTY_PAGE;
      return inOrder((client) =>
        request.filter.open ? scannedPage(client, request) : searchedPage(client, account, query),
      );
    },
    suggestTags: (account) => inOrder((client) => suggestedTags(client, account)),
    export: (account) => exportPages(exporting, account),
  };
}
