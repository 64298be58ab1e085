import { Kysely } from "kysely";
import type { AccountNumber, Plant } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import { eventReads } from "../event-reader.ts";
import { importReads } from "../import-rows.ts";
import { EXPORT_PAGE_TEXT_MAX, exportedPages } from "../plant-page.ts";
import { plantLookup } from "../plant-row.ts";
import type { Schema } from "../schema.ts";
import { sharedReads } from "../shared-reads.ts";
import { Budget } from "./budget.ts";
import { openForReading } from "./connection.ts";
import { readingDialect } from "./dialect.ts";
import { asFailure } from "./errors.ts";
import { EVENT_INDEX_HINTS, stepReader } from "./event-reader.ts";
import { PlantScan, scannedPage } from "./plant-scan.ts";
import { PlantSearch } from "./plant-search.ts";
import { selecting } from "./read-connection.ts";
import { openRequestLogReads } from "./request-log.ts";
import { tagCountsReader } from "./tag-counts.ts";

/** Reads an SQLite file on connections that cannot write: one for all, and one for each export. */
export function openSqliteReads(path: string): Reads {
  const database = asFailure(() => openForReading(path, 8192));
  const search = new PlantSearch(database);
  const tagCounts = tagCountsReader(database);
  const db = new Kysely<Schema>({ dialect: readingDialect(database) });
  const requests = openRequestLogReads(path);
  const lookup = plantLookup(selecting(database));
  return {
    plants: {
      ...lookup,
      list: async (account, query) => asFailure(() => search.page(account, query)),
      tagCounts: async (account) => asFailure(() => tagCounts(account)),
      export: (account) => exportPages(path, account),
    },
    events: eventReads(db, stepReader(database), EVENT_INDEX_HINTS),
    imports: importReads({ db, engine: "sqlite" }, lookup),
    requests: requests.reads,
    ...sharedReads(db),
    async close() {
      requests.close();
      database.close();
    },
  };
}

/** Reads all pages from one snapshot, which the open transaction holds until the reader ends. */
async function* exportPages(path: string, account: AccountNumber): AsyncGenerator<readonly Plant[], undefined> {
  const database = asFailure(() => openForReading(path));
  try {
    database.run("BEGIN");
    const scan = new PlantScan(database);
    yield* exportedPages(account, (request) => {
      const budget = new Budget(Number.POSITIVE_INFINITY, EXPORT_PAGE_TEXT_MAX);
      return asFailure(() => scannedPage(scan.inOrder(request), request, budget));
    });
  } finally {
    database.close();
  }
}
