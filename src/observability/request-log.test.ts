import { expect, test } from "bun:test";
import { Failure, unavailable } from "#core/failure.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { idTaken } from "#core/plant.ts";
import type { LoggedRequest, RequestLogRecords } from "#core/request-log.ts";
import { endedRequest as ended } from "#test/support/ended-request.ts";
import { RequestLog } from "./request-log.ts";

const RUN = { now: 0, signal: new AbortController().signal };

function logged(fails = false) {
  const rows: LoggedRequest[] = [];
  const records: RequestLogRecords = {
    add: async (requests) => {
      if (fails) throw new Error("the disk is full");
      rows.push(...requests);
    },
    forget: async () => false,
  };
  const log = new RequestLog({
    records,
    observer: NO_OBSERVER,
    bodies: true,
    addresses: "full",
    bytesMax: 1e9,
  });
  return { log, rows };
}

test("of the successes of a second the first ten are kept, and say how many there were", async () => {
  const { log, rows } = logged();
  for (let i = 0; i < 500; i++) log.requestEnded(ended());
  for (let i = 0; i < 3; i++) log.requestEnded(ended({ account: 2 }));
  await log.job.finish?.();
  expect(rows.filter(({ account }) => account === 1).map(({ sampledOf }) => sampledOf)).toEqual(Array(10).fill(500));
  expect(rows.filter(({ account }) => account === 2).map(({ sampledOf }) => sampledOf)).toEqual(
    Array(3).fill(undefined),
  );
});

test("the requests of a second are kept when one of the next second ends before they are written", async () => {
  const { log, rows } = logged();
  for (const endedAt of [5500, 6500, 7500]) log.requestEnded(ended({ endedAt }));
  await log.job.finish?.();
  expect(rows).toHaveLength(3);
});

test("every refusal is kept up to 200 a second, also beside more successes", async () => {
  const { log, rows } = logged();
  for (let i = 0; i < 300; i++) log.requestEnded(ended());
  for (let i = 0; i < 150; i++) log.requestEnded(ended({ errorNumber: 40003 }));
  for (let i = 0; i < 250; i++) log.requestEnded(ended({ errorNumber: 40003, account: 2 }));
  await log.job.finish?.();
  expect(rows.filter(({ account, error }) => account === 1 && error === 40003)).toHaveLength(150);
  const many = rows.filter(({ account }) => account === 2);
  expect([many.length, many[0]?.sampledOf]).toEqual([200, 250]);
});

test("an entry has what helps, and a body's beginning for a wrong or a taken plant alone", async () => {
  const { log, rows } = logged();
  const body = { bodyText: '{"id":"x"}' };
  const wrong = new Failure("member-invalid", "the id is wrong");
  log.requestEnded(ended({ errorNumber: 40003, error: wrong, message: wrong.message, ...body }));
  log.requestEnded(ended({ errorNumber: 40901, error: idTaken(1n), ...body }));
  log.requestEnded(ended({ errorNumber: 50301, error: unavailable("the disk is full"), ...body }));
  log.requestEnded(ended({ outcome: "unchanged", ...body }));
  await log.job.finish?.();
  expect(rows[0]).toMatchObject({ requestId: "req_1", status: 400, error: 40003, ms: 1.3, message: "the id is wrong" });
  expect(rows[0]).toMatchObject({
    token: { id: "tok_1", name: "import" },
    plantId: "9007199254740993",
    address: "192.0.2.1",
    bytesIn: 40,
  });
  expect(rows.map(({ excerpt }) => excerpt)).toEqual(['{"id":"x"}', '{"id":"x"}', undefined, undefined]);
  expect(rows[3]?.replayed).toBe(true);
});

test("requests without an account are not kept, nor the page's own that succeed", async () => {
  const { log, rows } = logged();
  log.requestEnded(ended({ account: undefined, errorNumber: 40102 }));
  log.requestEnded(ended({ isApi: false }));
  log.requestEnded(ended({ isApi: false, errorNumber: 40450 }));
  await log.job.finish?.();
  expect(rows.map(({ error }) => error)).toEqual([40450]);
});

test("the passing second is not yet written, and what the store refuses is counted", async () => {
  const { log, rows } = logged();
  log.requestEnded(ended({ endedAt: performance.now() + 3_600_000 }));
  await log.job.run(RUN);
  expect(rows).toEqual([]);
  const { log: failing } = logged(true);
  for (let i = 0; i < 5; i++) failing.requestEnded(ended());
  await failing.job.finish?.();
  expect(failing.dropped).toBe(5);
});
