import type { AccountNumber } from "#core/plant.ts";
import { plantFilter } from "#core/plant-filter.ts";
import type { PlantPage, PlantQuery } from "#core/records.ts";
import { EMPTY_PAGE, pageRequest } from "#storage/plant-page.ts";
import { Horizon } from "#storage/postgres/horizon.ts";
import { readInOrder } from "#storage/postgres/plant-scan.ts";
import { Pool } from "#storage/postgres/pool.ts";
import { COMMAND_WAITS } from "#storage/postgres/pools.ts";
import { SearchIndexer } from "#storage/postgres/search/indexer.ts";
import { searchedPage } from "#storage/postgres/search/plant-search.ts";
import { openForWriting } from "#storage/sqlite/connection.ts";
import { SearchIndex } from "#storage/sqlite/search-index.ts";
import { askedTerms, searchExpression } from "#storage/sqlite/search-terms.ts";
import { searchedRanges } from "#storage/sqlite/searched-ranges.ts";
import type { TestEngine } from "./engines.ts";
import { describeRecords, openTestRecords, type TestRecords } from "./test-records.ts";

/** Short ranges of SQLite's index, so that a test's plants are in several. */
const RANGE_LENGTH = 700;

/** An open store whose search index is filled when the test says so. */
export interface SearchedStore extends TestRecords {
  /** Indexes slices of that length, until fewer plants are left than that. */
  index(sliceLength: number): Promise<void>;
  /** The number of the account's plants that the index holds. */
  indexed(account: AccountNumber): Promise<number>;
  /** Asks the index, where the engine would otherwise read the first plants in order. */
  search(account: AccountNumber, query: PlantQuery): Promise<PlantPage>;
}

/** A group of tests on each engine, as of `describeRecords`. */
export function describeSearchedStores(
  title: string,
  tests: (opened: SearchedStore, engine: TestEngine) => void,
): void {
  describeRecords(title, tests, openSearchedStore);
}

export async function openSearchedStore(engine: TestEngine): Promise<SearchedStore> {
  const opened = await openTestRecords(engine);
  return engine === "sqlite" ? onSqlite(opened) : onPostgres(opened);
}

function onSqlite(opened: TestRecords): SearchedStore {
  const database = openForWriting(opened.url.slice("sqlite:".length));
  const index = new SearchIndex(database, RANGE_LENGTH);
  const run = <T>(step: () => T) => database.transaction(step).immediate();
  const behind = database.prepare<{ plants: number }, [number]>(
    "SELECT count(*) AS plants FROM plants WHERE number > ?",
  );
  const ranges = searchedRanges(database);
  return {
    ...opened,
    async index(sliceLength) {
      while ((behind.get(index.mark())?.plants ?? 0) >= sliceLength) {
        run(() => index.takeSlice(sliceLength));
        while (run(() => index.merge()));
      }
      while (run(() => index.follow()) > 0);
    },
    async indexed(account) {
      const asked = askedTerms(account, plantFilter({ q: "any", tag: undefined }));
      const expression = asked && searchExpression(asked, [asked.scope]);
      return ranges().flatMap(({ first, last, statements }) => statements.hits.all(expression ?? "", first, last, -1))
        .length;
    },
    search: (account, query) => opened.reads.plants.list(account, query),
    async end() {
      database.close();
      await opened.end();
    },
  };
}

function onPostgres(opened: TestRecords): SearchedStore {
  const pool = new Pool(opened.url, { sizeMax: 4, ...COMMAND_WAITS });
  return {
    ...opened,
    async index(sliceLength) {
      const horizon = new Horizon(pool);
      // The indexer waits two seconds for transactions under way, and leaves what is not settled then to its next run.
      await horizon.refresh(60_000);
      const indexer = new SearchIndexer(pool, horizon, { sliceLength, markSettledMs: -1 });
      const run = { now: 0, signal: new AbortController().signal };
      while ((await indexer.job.run(run)) === 0);
    },
    async indexed(account) {
      const { rows } = await pool.query("SELECT 1 FROM plant_search WHERE account = $1", [account]);
      return rows.length;
    },
    async search(account, query) {
      const request = pageRequest(account, query);
      return request ? readInOrder(pool, (client) => searchedPage(client, request, 0)) : EMPTY_PAGE;
    },
    async end() {
      await pool.end();
      await opened.end();
    },
  };
}
