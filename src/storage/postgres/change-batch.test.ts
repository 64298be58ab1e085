import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import pg from "pg";
import { type AccountNumber, type NewPlant, plantUnknown } from "#core/plant.ts";
import type { PlantCondition } from "#core/records.ts";
import { always } from "#test/support/plant-lists.ts";
import { queryOnce } from "#test/support/query.ts";
import { openTestRecords, type TestRecords } from "#test/support/test-records.ts";
import { SMALL_SIZE_UNITS_MAX } from "../write-queue.ts";
import { ChangeBatches, PlantChange } from "./change-batch.ts";
import type { Acted } from "./plant-act.ts";
import { FIND_PLANTS } from "./plant-change.ts";
import { type LentConnection, Pool, type TimedQuery } from "./pool.ts";
import { COMMAND_WAITS } from "./pools.ts";

const FERN: NewPlant = { id: 1n, name: "Fern", tag: undefined };

let records: TestRecords;
let pool: Pool;
let account: AccountNumber;
beforeAll(async () => {
  records = await openTestRecords("postgres");
  pool = new Pool(records.url, { sizeMax: 1, ...COMMAND_WAITS });
});
beforeEach(async () => {
  account = await records.account();
});
afterAll(async () => {
  await pool.end();
  await records.end();
});

/** The batch's connection, which notes what is sent. `meanwhile` runs after the first answer. */
async function watching<T>(work: (client: LentConnection, sent: string[]) => Promise<T>, meanwhile = async () => {}) {
  const client = await pool.connect();
  const sent: string[] = [];
  const watched: LentConnection = {
    release: () => {},
    async query(asked: TimedQuery | string, values?: unknown[]) {
      const answer = await client.query(asked, values);
      sent.push(typeof asked === "string" ? asked : String(asked.name));
      if (sent.length === 1) await meanwhile();
      return answer as never;
    },
  };
  return work(watched, sent).finally(() => client.release());
}

function changeOf(id: bigint, allows: PlantCondition) {
  const answered = Promise.withResolvers<Acted[]>();
  const act = { account, id, patch: { tag: "sun" }, allows, by: undefined };
  const parts = { span: undefined, since: performance.now() - 1000 };
  const change = new PlantChange(account, [act], answered.resolve, answered.reject, parts);
  return { change, answered: answered.promise };
}

/** Writes a change of the fern's tag in a batch of its own. `meanwhile` runs once the plant was read. */
function written(meanwhile = async () => {}, allows: PlantCondition = () => {}) {
  return watching(async (client, sent) => {
    const { change, answered } = changeOf(FERN.id, allows);
    const settle = await new ChangeBatches(true).write(client, [change], performance.now() + 10_000);
    const again = settle(0);
    const [acted] = again ? [] : await answered;
    return { sent, change, again, answer: acted && "refusal" in acted ? acted.refusal : acted };
  }, meanwhile);
}

test("a change that asks for nothing of its plant is one statement", async () => {
  await records.records.plants.create(account, FERN);
  const { sent, answer } = await written(undefined, always);
  expect(sent).toEqual(["change plants at once"]);
  expect(answer).toMatchObject({ plant: { ...FERN, tag: "sun", revision: 2 }, isChanged: true });
  expect((await written(undefined, always)).answer).toMatchObject({ plant: { revision: 2 }, isChanged: false });
});

test("many changes of one write are one statement too, however much text they have together", async () => {
  const ids = [1n, 2n, 3n];
  const patch = { name: "n".repeat(SMALL_SIZE_UNITS_MAX / 2) };
  await records.records.plants.createMany(
    account,
    ids.map((id) => ({ ...FERN, id })),
  );
  const acts = ids.map((id) => ({ account, id, patch, allows: always, by: undefined }));
  const answered = Promise.withResolvers<Acted[]>();
  const change = new PlantChange(account, acts, answered.resolve, answered.reject, { span: undefined });
  const sent = await watching(async (client, sent) => {
    (await new ChangeBatches(true).write(client, [change], performance.now() + 10_000))(0);
    return sent;
  });
  expect(await answered.promise).toMatchObject(ids.map((id) => ({ plant: { id, ...patch, revision: 2 } })));
  expect(sent).toEqual(["change plants at once"]);
});

test("a plant that somebody holds is left alone by a change that asks for nothing of it, which is written again", async () => {
  await records.records.plants.create(account, FERN);
  const other = new Pool(records.url, { sizeMax: 1, ...COMMAND_WAITS });
  const { change, again } = await other.transaction("BEGIN", async (holder) => {
    await holder.query("SELECT FROM plants WHERE account = $1 FOR UPDATE", [account]);
    return written(undefined, always);
  });
  await other.end();
  expect(again).toBe(change);
});

/** Writes two changes in one batch. The first is done at once; the statement that reads the plant of the other fails. */
async function partlyWritten(error: Error) {
  const rose = { ...FERN, id: 2n };
  await records.records.plants.createMany(account, [FERN, rose]);
  return watching(async (client) => {
    const [ofFern, ofRose] = [changeOf(FERN.id, always), changeOf(rose.id, () => {})];
    const failing: LentConnection = {
      ...client,
      query: (asked, values) =>
        typeof asked !== "string" && asked.name === "find plants to change"
          ? Promise.reject(error)
          : client.query(asked, values),
    };
    const batch = [ofFern.change, ofRose.change];
    const settle = await new ChangeBatches(true)
      .write(failing, batch, performance.now() + 10_000)
      .catch((thrown: unknown) => thrown);
    return { ofFern, ofRose, settle };
  });
}

const DONE = [{ plant: { id: 1n, tag: "sun", revision: 2 }, isChanged: true }];

test("what was done before the rest of its batch was refused stays done, and only the rest is written again", async () => {
  const { ofFern, ofRose, settle } = await partlyWritten(new pg.DatabaseError("deadlock detected", 0, "error"));
  if (typeof settle !== "function") throw settle;
  expect([settle(0), settle(1)]).toEqual([undefined, ofRose.change]);
  expect(await ofFern.answered).toMatchObject(DONE);
});

test("after a lost connection, what was done is answered, and what may be done is not written again", async () => {
  const lost = new Error("Connection terminated unexpectedly");
  const { ofFern, settle } = await partlyWritten(lost);
  expect(settle).toBe(lost);
  expect(await ofFern.answered).toMatchObject(DONE);
});

test("a plant that was removed and made again after it was read is changed as it is then", async () => {
  const { plants } = records.records;
  await plants.create(account, FERN);
  const { change, again } = await written(async () => {
    await plants.remove(account, FERN.id, always);
    await plants.create(account, { ...FERN, name: "Rose" });
  });
  expect(again).toBe(change);
  expect(await plants.find(account, FERN.id)).toMatchObject({ name: "Rose", tag: undefined, revision: 1 });
});

test("a plant whose row was written elsewhere after it was read is left alone, without an event, and written again", async () => {
  const { plants } = records.records;
  await plants.create(account, FERN);
  const { change, again } = await written(async () => {
    await queryOnce(records.url, "UPDATE plants SET name = name WHERE account = $1", [account]);
  });
  expect(again).toBe(change);
  expect(await plants.find(account, FERN.id)).toMatchObject({ tag: undefined, revision: 1 });
  expect(await queryOnce(records.url, "SELECT FROM plant_events WHERE account = $1", [account])).toEqual([]);
});

test("a batch that only refuses waits for the disk too, since what it has read may not be there yet", async () => {
  const { sent, answer } = await written();
  expect(answer).toEqual(plantUnknown(FERN.id));
  expect(sent).toEqual(["find plants to change", "wait for disk"]);
});

test("a plant with a long text is not read in a batch of small ones, and left to one of large ones", async () => {
  const { plants } = records.records;
  await plants.create(account, { ...FERN, name: "n".repeat(SMALL_SIZE_UNITS_MAX + 1) });
  expect((await written()).answer).toEqual({ bytes: SMALL_SIZE_UNITS_MAX + 1 });
  expect(await plants.change(account, FERN.id, { tag: "sun" }, always)).toMatchObject({ tag: "sun", revision: 2 });
});

test("a plan that was made while there were few plants finds each of a batch by the index", async () => {
  const explained = await queryOnce<Record<string, string>>(records.url, `EXPLAIN (GENERIC_PLAN) ${FIND_PLANTS.text}`);
  expect(explained.map((row) => row["QUERY PLAN"]).join("\n")).toContain("Index Scan using plants_key");
});
