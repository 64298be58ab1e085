import { setTimeout as sleep } from "node:timers/promises";
import { Kysely } from "kysely";
import type { PlantReads, Reads } from "#core/reads.ts";
import { eventReads } from "../event-reader.ts";
import { EMPTY_PAGE, pageRequest } from "../plant-page.ts";
import { RequestLogReader } from "../request-log-query.ts";
import type { Schema } from "../schema.ts";
import { sharedReads } from "../shared-reads.ts";
import { pooledDialect } from "./dialect.ts";
import { asFailure } from "./errors.ts";
import { stepReader } from "./event-reader.ts";
import { countedSlice } from "./match-count.ts";
import { readInOrder } from "./ordered-reading.ts";
import { exportPages } from "./plant-export.ts";
import { PlantLookup } from "./plant-lookup.ts";
import { scannedPage } from "./plant-scan.ts";
import { type LentConnection, type Pool, WAIT_MS_MAX } from "./pool.ts";
import { openReadingPools, type Waits } from "./pools.ts";
import { searchedPage } from "./search/plant-search.ts";
import { suggestedTags } from "./tag-sample.ts";

export function openPostgresReads(url: string, waits?: Waits): Reads {
  const { reading, exporting } = openReadingPools(url, waits);
  const db = new Kysely<Schema>({ dialect: pooledDialect(reading) });
  const query = (text: string, values: readonly unknown[]) => reading.rows<Record<string, string>>(text, [...values]);
  return {
    plants: plantReads(reading, exporting),
    events: eventReads(db, stepReader(reading)),
    requests: new RequestLogReader(query, (index) => `$${index}`),
    ...sharedReads(db),
    async close() {
      // An export that is read slowly keeps its connection, and nobody waiting.
      await Promise.race([
        Promise.all([reading.end(), exporting.end()]),
        sleep(WAIT_MS_MAX, undefined, { ref: false }),
      ]);
    },
  };
}

function plantReads(reading: Pool, exporting: Pool): PlantReads {
  const lookup = new PlantLookup(reading);
  const inOrder = <T>(read: (client: LentConnection) => Promise<T>) => asFailure(() => readInOrder(reading, read));
  return {
    find: (account, id) => lookup.find(account, id),
    count: (account) => lookup.count(account),
    greatestId: (account) => lookup.greatestId(account),
    async list(account, query) {
      const request = pageRequest(account, query);
      if (!request) return EMPTY_PAGE;
      return inOrder((client) =>
        request.filter.open ? scannedPage(client, request) : searchedPage(client, account, query),
      );
    },
    countSlice: (account, choice, after) => inOrder((client) => countedSlice(client, account, choice, after)),
    suggestTags: (account) => inOrder((client) => suggestedTags(client, account)),
    export: (account) => exportPages(exporting, account),
  };
}
