import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { NO_OBSERVER } from "#core/observer.ts";
import type { LoggedRequest, RequestLogQuery } from "#core/request-log.ts";
import { fullPage, toEnd } from "#http/reading/in-turns.ts";
import { openRequestLogReads, SqliteRequestLog } from "#storage/sqlite/request-log.ts";
import { median } from "./median.ts";
import { readOptions } from "./options.ts";
import { type Bar, report } from "./report.ts";
import { timesOf } from "./times.ts";

/** Searches in a request log of many rows, through the worker as the service does: `bun bench/request-log.ts [--rows 1000000]`. */
const { rows } = readOptions({ rows: 1_000_000 });
const ROWS_AT_ONCE = 10_000;
const ACCOUNTS = 50;
const SEARCHES = 21;
const ACCOUNT = 7;
const START = Date.parse("2026-03-10T00:00:00.000Z");

const QUERIES: Readonly<Record<string, RequestLogQuery>> = {
  "newest 50": { limit: 50 },
  "by error": { error: 40901, limit: 50 },
  "by request id": { requestId: `req_${ACCOUNT + ACCOUNTS}`, limit: 1 },
  "by status, token, path and time": {
    status: [4],
    token: "tok_3",
    path: "/v1/pl",
    from: START,
    to: START + rows,
    limit: 50,
  },
  "in vain in all rows of the account": { plant: "-1", limit: 50 },
};

const path = join(tmpdir(), `plantstore-bench-${process.pid}.db`);
const log = new SqliteRequestLog(path, NO_OBSERVER);
const { reads, close } = openRequestLogReads(path);
const start = performance.now();
for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
  await log.add(Array.from({ length: Math.min(ROWS_AT_ONCE, rows - first) }, (_, index) => request(first + index)));
}
const rowsPerSecond = rows / ((performance.now() - start) / 1000);
const bars: Bar[] = [];
for (const [name, query] of Object.entries(QUERIES)) {
  const times = await timesOf(SEARCHES, () => toEnd(fullPage(reads, ACCOUNT, query)));
  bars.push({ name: `${name}, ms`, value: median(times), atMost: 50 });
}
log.close();
close();
for (const end of ["", "-wal", "-shm"]) rmSync(path.replace(/\.db$/, "-requests.db") + end, { force: true });
await report(
  "request-log",
  [
    `${rows} rows of ${ACCOUNTS} accounts, written at ${rowsPerSecond.toFixed(0)} a second`,
    `the median of ${SEARCHES} searches each`,
  ],
  bars,
);

function request(number: number): LoggedRequest {
  const taken = number % 3 === 0;
  return {
    account: number % ACCOUNTS,
    requestId: `req_${number}`,
    at: START + number,
    method: "POST",
    path: "/v1/plants",
    status: taken ? 409 : 200,
    ...(taken ? { error: 40901, message: "Another plant has this id" } : {}),
    ms: 1.2,
    token: { id: `tok_${number % 11}`, name: "import" },
    address: "192.0.2.1",
    agent: "curl/8",
    plantId: String(number),
  };
}
