import { Database } from "bun:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { LoggedRequest } from "#core/request-log.ts";
import { removal, TEST_SOURCE } from "#test/support/audit.ts";
import { ENGINES } from "#test/support/engines.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { requestConditions } from "./request-log-query.ts";
import { SqliteRequestLog } from "./sqlite/request-log.ts";

const NOW = Date.now();
const NO_BOUND = { from: 0, bytesMax: Number.MAX_SAFE_INTEGER };

function logged(account: number, number: number, more: Partial<LoggedRequest> = {}): LoggedRequest {
  const requestId = `req_${account}_${number}`;
  return { account, requestId, at: NOW + number, method: "POST", path: "/v1/plants", status: 200, ms: 1, ...more };
}

describe.each(ENGINES)("the kept requests, on %s", (engine) => {
  let kept: TestStore;

  beforeAll(async () => {
    kept = await openTestStore(engine);
  });
  afterAll(() => kept.end());

  test("those of an account go with the account, and those of others stay", async () => {
    const [account, other] = [await kept.account(), await kept.account()];
    const { requests } = kept.store;
    await requests.add(Array.from({ length: 2500 }, (_, number) => logged(account, number)));
    await requests.add([logged(other, 1)]);
    await kept.store.accounts.remove(removal(account), TEST_SOURCE);
    expect(await requests.list(account, { limit: 10 })).toEqual([]);
    expect(await requests.list(other, { limit: 10 })).toHaveLength(1);
  });
});

describe("the log's file", () => {
  async function fill(log: SqliteRequestLog, count: number): Promise<void> {
    const message = "m".repeat(900);
    await log.add(Array.from({ length: count }, (_, number) => logged(1, number, { message })));
  }

  test("holds no more than its bound: the oldest requests go, and the newest stay", async () => {
    const log = new SqliteRequestLog(join(temporaryFolder(), "plantstore.db"));
    await fill(log, 6000);
    const bounds = { from: 0, bytesMax: 2 * 1024 * 1024 };
    while (await log.forget(bounds));
    const left = (await log.list(1, { limit: 10_000 })).map(({ request }) => request.requestId);
    expect(left[0]).toBe("req_1_5999");
    expect(left.length).toBeGreaterThan(500);
    // Each takes at least its message of 900 bytes.
    expect(left.length).toBeLessThan(bounds.bytesMax / 900);
    expect(left.at(-1)).toBe(`req_1_${6000 - left.length}`);
    expect(await log.forget(NO_BOUND)).toBe(false);
    log.close();
  });

  test("is searched for a request's id by the index of ids", async () => {
    const folder = temporaryFolder();
    const log = new SqliteRequestLog(join(folder, "plantstore.db"));
    await fill(log, 10);
    expect(await log.list(1, { requestId: "req_1_3", limit: 1 })).toHaveLength(1);
    expect(await log.list(2, { requestId: "req_1_3", limit: 1 })).toEqual([]);
    log.close();
    const database = new Database(join(folder, "plantstore-requests.db"), { readonly: true });
    const { where, values } = requestConditions(1, { requestId: "req_1_3", limit: 1 }, () => "?");
    const query = `EXPLAIN QUERY PLAN SELECT entry FROM requests WHERE ${where} ORDER BY number DESC LIMIT 1`;
    expect(JSON.stringify(database.query(query).all(...(values as string[])))).toContain("USING INDEX requests_id");
    database.close();
  });

  test("that cannot be made refuses requests and searches, keeps no account from being removed, and is made when it can be", async () => {
    const folder = temporaryFolder();
    const path = join(folder, "plantstore.db");
    // A folder in the file's stead cannot be opened, whoever the user is.
    mkdirSync(join(folder, "plantstore-requests.db"));
    const log = new SqliteRequestLog(path);
    await expect(log.add([logged(1, 1)])).rejects.toThrow("The request log cannot be used");
    await expect(log.list(1, { limit: 1 })).rejects.toThrow("The request log cannot be used");
    await log.removeAll(1);
    rmSync(join(folder, "plantstore-requests.db"), { recursive: true });
    await log.add([logged(1, 1)]);
    expect(await log.list(1, { limit: 1 })).toHaveLength(1);
    log.close();
  });
});
