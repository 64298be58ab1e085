import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { sql } from "kysely";
import { NO_OBSERVER } from "#core/observer.ts";
import type { LoggedRequest, RequestLogQuery } from "#core/request-log.ts";
import { TEST_SOURCE } from "#test/support/audit.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { describeRecords, openTestRecords } from "#test/support/test-records.ts";
import { RequestLogReader } from "./request-log-query.ts";
import { openRequestLogReads, SqliteRequestLog } from "./sqlite/request-log.ts";

const NOW = Date.now();
const WEEK_AGO = NOW - 7 * 86_400_000;

function logged(account: number, number: number, more: Partial<LoggedRequest> = {}): LoggedRequest {
  const requestId = `req_${account}_${number}`;
  return { account, requestId, at: NOW + number, method: "POST", path: "/v1/plants", status: 200, ms: 1, ...more };
}

const BYTES_MAX = 2 * 1024 * 1024;

const TEXT = fc.constantFrom(
  "/v1/plants",
  "/v1/plants/7",
  "/v1/plantations",
  "/v1/events",
  "/v1/plänts",
  "/V1/plants",
  "/v1/%",
);
const REQUEST = fc
  .record(
    {
      at: fc.constantFrom(NOW - 2000, NOW - 1000, NOW),
      path: TEXT,
      status: fc.constantFrom(200, 201, 404, 409, 503),
      error: fc.constantFrom(40401, 40901),
      token: fc.constantFrom({ id: "tok_1", name: "Till" }, { id: "tok_2", name: "Desk" }),
      source: fc.constant("dashboard" as const),
      plantId: fc.constantFrom("1", "-9223372036854775808"),
      address: fc.constantFrom("192.0.2.7", "2001:db8::7"),
    },
    { requiredKeys: ["at", "path", "status"] },
  )
  // A request of the dashboard names no token.
  .map((request): Partial<LoggedRequest> => (request.source ? { ...request, token: undefined } : request));
const QUERY = fc.record(
  {
    status: fc.subarray([2, 4, 5, 200, 409], { minLength: 1 }),
    error: fc.constantFrom(40401, 40901),
    token: fc.constantFrom("tok_1", "tok_3"),
    source: fc.constant("dashboard" as const),
    path: fc.oneof(TEXT, fc.constantFrom("/v1/plants/", "/v1/", "", "/v1/_")),
    plant: fc.constantFrom("1", "2"),
    address: fc.constantFrom("192.0.2.7", "192.0.2"),
    from: fc.constantFrom(NOW - 1000, NOW + 1),
    to: fc.constantFrom(NOW - 1000, NOW),
  },
  { requiredKeys: [] },
);

/** True if a search of the log must find the request. */
function fits(request: LoggedRequest, query: Partial<RequestLogQuery>): boolean {
  const { status, error, token, source, path, plant, address, from, to } = query;
  return (
    request.source === source &&
    (status?.some((one) => one === request.status || one === Math.floor(request.status / 100)) ?? true) &&
    (error === undefined || request.error === error) &&
    (token === undefined || request.token?.id === token) &&
    (path === undefined || request.path.startsWith(path)) &&
    (plant === undefined || request.plantId === plant) &&
    (address === undefined || request.address === address) &&
    (from === undefined || request.at >= from) &&
    (to === undefined || request.at < to)
  );
}

describeRecords("the bound of the request log, on %s", (kept, engine) => {
  /** The room that the log takes of the disk. */
  async function bytesOnDisk(): Promise<number> {
    if (engine === "sqlite") {
      const files = ["", "-wal"].map((end) => statSync(kept.url.replace(/^sqlite:(.*)\.db$/, `$1-requests.db${end}`)));
      return files.reduce((sum, { size }) => sum + size, 0);
    }
    const size = "sum(pg_total_relation_size(oid))::int AS bytes FROM pg_class WHERE relname ~ '^requests_[0-9]{8}$'";
    const { rows } = await sql.raw<{ bytes: number }>(`SELECT ${size}`).execute(kept.storage.db);
    return rows[0]?.bytes ?? 0;
  }

  test("is bounded within a day too, by two nodes at once: the oldest of the account with most go, those of others stay", async () => {
    const [few, many, another] = [await kept.account(), await kept.account(), await kept.account()];
    const { requests } = kept.records;
    const node = await kept.another();
    const message = "m".repeat(900);
    const add = (account: number, start: number, length: number, log = requests) =>
      log.add(
        Array.from({ length }, (_, at) => logged(account, start + at, { message })),
        BYTES_MAX,
      );
    await add(few, 0, 20);
    for (let round = 0; round < 12; round++) {
      await Promise.all([add(many, round * 1000, 1000), add(another, round * 100, 100, node.records.requests)]);
      expect(await bytesOnDisk()).toBeLessThanOrEqual(BYTES_MAX);
    }
    await node.records.close();
    const left = async (account: number) =>
      (await kept.reads.requests.list(account, { limit: 10_000 })).found.map(({ requestId }) =>
        Number(requestId.split("_")[2]),
      );
    expect(await left(few)).toHaveLength(20);
    for (const [account, total] of [
      [many, 12_000],
      [another, 1200],
    ] as const) {
      const numbers = await left(account);
      expect(numbers.length).toBeGreaterThan(100);
      expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => total - 1 - at));
    }
  });

  test("holds though four nodes add a second's requests at once", async () => {
    const accounts = await Promise.all([1, 2, 3, 4].map(() => kept.account()));
    const nodes = await Promise.all(accounts.map(() => kept.another()));
    for (let round = 0; round < 5; round++) {
      const adding = nodes.map(({ records }, node) =>
        records.requests.add(
          Array.from({ length: 1000 }, (_, at) =>
            logged(accounts[node]!, round * 1000 + at, { message: "m".repeat(900) }),
          ),
          BYTES_MAX,
        ),
      );
      const done = Promise.all(adding);
      const isDone = done.then(() => true);
      while (!(await Promise.race([isDone, Bun.sleep(5)]))) expect(await bytesOnDisk()).toBeLessThanOrEqual(BYTES_MAX);
    }
    for (const { records } of nodes) await records.close();
  });
});

describeRecords("a search of the request log, on %s", (kept) => {
  async function pages(account: number, query: Partial<RequestLogQuery>, limit: number): Promise<LoggedRequest[]> {
    const found: LoggedRequest[] = [];
    let before: string | undefined;
    do {
      const page = await kept.reads.requests.list(account, { ...query, before, limit });
      expect(page.found.length).toBeLessThanOrEqual(limit);
      found.push(...page.found);
      before = page.next;
    } while (before !== undefined);
    return found;
  }

  test("finds nothing from before the bound of time though the clock was ahead by a year when the first request came", async () => {
    const account = await kept.account();
    await kept.records.requests.add([logged(account, 1, { at: NOW + 365 * 86_400_000 })]);
    await kept.records.requests.add([logged(account, 2, { at: NOW - 9 * 86_400_000 })]);
    while (await kept.records.requests.forget(WEEK_AGO));
    const found = (await kept.reads.requests.list(account, { limit: 10 })).found;
    expect(found.map(({ requestId }) => requestId)).toEqual([`req_${account}_1`]);
  });

  test("finds nothing from before the bound of time, once that was forgotten, though no newer request came", async () => {
    const account = await kept.account();
    const old = NOW - 9 * 86_400_000;
    await kept.records.requests.add([logged(account, 1, { at: old })]);
    while (await kept.records.requests.forget(WEEK_AGO));
    expect(await kept.reads.requests.oldest(account)).toBeUndefined();
    await kept.records.requests.add([logged(account, 2)]);
    while (await kept.records.requests.forget(WEEK_AGO));
    expect((await kept.reads.requests.list(account, { limit: 10 })).found).toHaveLength(1);
  });

  test("finds exactly the requests that a comparison one by one finds, newest first, in pages of any size", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(REQUEST, { maxLength: 20 }),
        fc.array(QUERY, { minLength: 5, maxLength: 5 }),
        fc.integer({ min: 1, max: 8 }),
        async (some, queries, limit) => {
          const [account, other] = [await kept.account(), await kept.account()];
          const requests = some.map((each, number) => logged(account, number, each));
          await kept.records.requests.add(requests);
          await kept.records.requests.add(some.map((each, number) => logged(other, number, each)));
          const newest = requests.toReversed();
          for (const query of [{}, ...queries]) {
            expect(await pages(account, query, limit)).toEqual(newest.filter((each) => fits(each, query)));
          }
          const requestId = newest[0]?.requestId;
          if (requestId) expect(await pages(account, { requestId }, limit)).toEqual(newest.slice(0, 1));
          expect(await kept.reads.requests.oldest(account)).toBe(requests[0]?.at);
        },
      ),
      { numRuns: 20 },
    );
  });

  test("gives back all that is known of a request, to the last character of a refused body", async () => {
    const account = await kept.account();
    const all: Required<LoggedRequest> = {
      ...logged(account, 1),
      error: 40003,
      source: "dashboard",
      token: { id: "tok_1", name: 'Till "ü" 🌵' },
      person: { id: "7Xb2", name: "rosa@bücher.example" },
      address: "2001:db8::7",
      agent: "curl/8",
      bytesIn: 12,
      message: 'The member "name" is missing',
      plantId: "9223372036854775807",
      replayed: true,
      sampledOf: 3,
      traceId: "0af7651916cd43dd8448eb211c80319c",
      excerpt: String.raw`{"id":1,"name":"a\u0000b\\u0000"}`,
    };
    const odd = { ...all, requestId: "odd", excerpt: "a\0b\ud800\uffff\u{10ffff}" };
    await kept.records.requests.add([all, odd]);
    const found = (await kept.reads.requests.list(account, { source: "dashboard", limit: 2 })).found;
    expect(found).toEqual([odd, all]);
  });

  test("finds a request whose path holds what a column of text cannot", async () => {
    const account = await kept.account();
    await kept.records.requests.add([logged(account, 1, { path: "/v1/plants/a\0\ud800b" })]);
    expect((await kept.reads.requests.list(account, { path: "/v1/plants/a", limit: 2 })).found).toHaveLength(1);
  });

  test("loses an account's requests with the account, and keeps those of others", async () => {
    const [account, other] = [await kept.account(), await kept.account()];
    const { requests } = kept.records;
    await requests.add(Array.from({ length: 2500 }, (_, number) => logged(account, number)));
    await requests.add([logged(other, 1)]);
    await kept.records.stores.remove(account, TEST_SOURCE);
    expect((await kept.reads.requests.list(account, { limit: 10 })).found).toEqual([]);
    expect((await kept.reads.requests.list(other, { limit: 10 })).found).toHaveLength(1);
  });
});

test("the log on PostgreSQL is written again as soon as it can be, after another node dropped a day or a day could not be made", async () => {
  const { records, reads, storage, ...kept } = await openTestRecords("postgres");
  const account = await kept.account();
  const run = (text: string) => sql.raw(text).execute(storage.db);
  await records.requests.add([logged(account, 1)]);
  await run(`DROP TABLE requests_${new Date(NOW).toISOString().slice(0, 10).replaceAll("-", "")}`);
  await run("ALTER TABLE requests RENAME TO requests_elsewhere");
  await expect(records.requests.add([logged(account, 3)])).rejects.toThrow();
  await run("ALTER TABLE requests_elsewhere RENAME TO requests");
  await records.requests.add([logged(account, 4)]);
  const { found } = await reads.requests.list(account, { limit: 10 });
  expect(found.map(({ requestId }) => requestId)).toEqual([`req_${account}_4`]);
  await kept.end();
});

/** The log beside the database of that path, with its reader. */
function openLog(path: string) {
  const log = new SqliteRequestLog(path, NO_OBSERVER);
  const { reads, close } = openRequestLogReads(path);
  return {
    add: (requests: readonly LoggedRequest[]) => log.add(requests),
    removeAll: (account: number) => log.removeAll(account),
    list: async (account: number, query: RequestLogQuery) => (await reads.list(account, query)).found,
    close() {
      close();
      log.close();
    },
  };
}

describe("the log's file", () => {
  test("is searched for a request's id by the index of ids, and for all else by one index of the account's", async () => {
    const folder = temporaryFolder();
    const log = openLog(join(folder, "plantstore.db"));
    await log.add(Array.from({ length: 10 }, (_, number) => logged(1, number)));
    expect(await log.list(1, { requestId: "req_1_3", limit: 1 })).toHaveLength(1);
    expect(await log.list(2, { requestId: "req_1_3", limit: 1 })).toEqual([]);
    log.close();
    const database = new Database(join(folder, "plantstore-requests.db"), { readonly: true });
    const planOf = async (searched: Partial<RequestLogQuery>) => {
      const plans: unknown[] = [];
      const explained = async (statement: string, values: readonly (string | number | bigint)[]) => {
        plans.push(database.query(`EXPLAIN QUERY PLAN ${statement}`).all(...values));
        return [];
      };
      await new RequestLogReader(explained).list(1, { ...searched, limit: 1 });
      return JSON.stringify(plans);
    };
    expect(await planOf({ requestId: "req_1_3" })).toContain("INDEX requests_id (request_id=?)");
    // In the order in which they are wanted, and nothing else of the table.
    expect(await planOf({ plant: "-1", path: "/v1" })).toContain("USING INDEX requests_searched (account=?)");
    expect(await planOf({ plant: "-1", path: "/v1" })).not.toContain("TEMP B-TREE");
    database.close();
  });

  test("is made anew when somebody removed it", async () => {
    const folder = temporaryFolder();
    const log = openLog(join(folder, "plantstore.db"));
    await log.add([logged(1, 1)]);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `plantstore-requests.db${end}`), { force: true });
    await log.add([logged(1, 2)]);
    expect((await log.list(1, { limit: 10 })).map(({ requestId }) => requestId)).toEqual(["req_1_2"]);
    log.close();
  });

  test("is written where another process made it anew, after somebody removed it", async () => {
    const folder = temporaryFolder();
    const [log, another] = [0, 1].map(() => openLog(join(folder, "plantstore.db")));
    await log?.add([logged(1, 1)]);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `plantstore-requests.db${end}`), { force: true });
    await another?.add([logged(1, 2)]);
    await log?.add([logged(1, 3)]);
    expect((await log?.list(1, { limit: 10 }))?.map(({ requestId }) => requestId)).toEqual(["req_1_3", "req_1_2"]);
    log?.close();
    another?.close();
  });

  test("lets nobody wait who asked before it was closed", async () => {
    const log = openLog(join(temporaryFolder(), "plantstore.db"));
    const asked = log.add([logged(1, 1)]).catch((error) => error);
    log.close();
    expect(await asked).toMatchObject({ code: "unavailable", message: "The service is shutting down. Try again." });
  });

  test("takes nothing more once it was closed, and starts no thread that nobody would end", async () => {
    const folder = temporaryFolder();
    const log = openLog(join(folder, "plantstore.db"));
    log.close();
    await expect(log.add([logged(1, 1)])).rejects.toMatchObject({ code: "unavailable" });
    expect(existsSync(join(folder, "plantstore-requests.db"))).toBe(false);
  });

  test("that cannot be made refuses requests and searches, keeps no account from being removed, and is made when it can be", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "plantstore.db");
    // A folder in the file's stead cannot be opened, whoever the user is.
    mkdirSync(join(folder, "plantstore-requests.db"));
    const log = openLog(path);
    await expect(log.add([logged(1, 1)])).rejects.toThrow("The request log cannot be used");
    await expect(log.list(1, { limit: 1 })).rejects.toThrow("The request log cannot be used");
    await log.removeAll(1);
    rmSync(join(folder, "plantstore-requests.db"), { recursive: true });
    await log.add([logged(1, 1)]);
    expect(await log.list(1, { limit: 1 })).toHaveLength(1);
    log.close();
  });
});
