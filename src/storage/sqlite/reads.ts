import { Kysely } from "kysely";
import type { Reads } from "#core/reads.ts";
import { eventReads } from "../event-reader.ts";
import type { Schema } from "../schema.ts";
import { sharedReads } from "../shared-reads.ts";
import { openForReading } from "./connection.ts";
import { readingDialect } from "./dialect.ts";
import { asFailure } from "./errors.ts";
import { stepReader } from "./event-reader.ts";
import { exportPages } from "./plant-export.ts";
import { PlantLookup } from "./plant-lookup.ts";
import { PlantSearch } from "./plant-search.ts";
import { openRequestLogReads } from "./request-log.ts";
import { tagSampler } from "./tag-sample.ts";

const CACHE_KIB = 8192;

/** Reads an SQLite file on connections that cannot write: one for all, and one for each export. */
export function openSqliteReads(path: string): Reads {
  const database = asFailure(() => openForReading(path, CACHE_KIB));
  const plants = new PlantLookup(database);
  const search = new PlantSearch(database);
  const suggestTags = tagSampler(database);
  const db = new Kysely<Schema>({ dialect: readingDialect(database) });
  const requests = openRequestLogReads(path);
  return {
    plants: {
      find: async (account, id) => asFailure(() => plants.find(account, id)),
      count: async (account) => asFailure(() => plants.count(account)),
      greatestId: async (account) => asFailure(() => plants.greatestId(account)),
      list: async (account, query) => asFailure(() => search.page(account, query)),
      countSlice: async (account, choice, after) => asFailure(() => search.countSlice(account, choice, after)),
      suggestTags: async (account) => asFailure(() => suggestTags(account)),
      async *export(account) {
        const pages = exportPages(path, account);
        try {
          for (let page = asFailure(() => pages.next()); !page.done; page = asFailure(() => pages.next()))
            yield page.value;
        } finally {
          pages.return(undefined);
        }
      },
    },
    events: eventReads(db, stepReader(database)),
    requests: requests.reads,
    ...sharedReads(db),
    async close() {
      requests.close();
      database.close();
    },
  };
}
