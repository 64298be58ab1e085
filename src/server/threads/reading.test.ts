import { afterAll, expect, test } from "bun:test";
import { NO_OBSERVER } from "#core/observer.ts";
import { endThreadAfter } from "#test/support/end-thread.ts";
import { openTestRecords } from "#test/support/test-records.ts";
import { readSettings } from "../settings.ts";
import { openReading } from "./reading.ts";

const query = { order: "id", limit: 10, tag: undefined, q: "fern", after: undefined } as const;

const failures: string[] = [];
const observer = { ...NO_OBSERVER, failed: (part: string, error: unknown) => void failures.push(`${part}: ${error}`) };

const opened = await openTestRecords("sqlite");
const account = await opened.accountWith(
  Array.from({ length: 2000 }, (_, at) => ({ id: BigInt(at), name: `Fern ${at}`, tag: undefined })),
);
const settings = readSettings({ DATABASE_URL: opened.url });
const reading = openReading(settings, opened.storage, observer);
afterAll(() => opened.end());

const page = () => reading.reads.ask(account, "plantPage", { account, query });
const pages = () => reading.reads.open(account, "exportPages", { account, type: "text/csv" }, true);
const read = (text: string) => reading.reads.ask(account, "body", { reader: "readNewPlant", text });
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test("answers with bytes, also while exports stand still on every lane", async () => {
  const exports = [1, 2, 3].map(() => pages());
  for (const each of exports)
    expect(text((await each.next()).value?.bytes ?? new Uint8Array())).toStartWith("0,Fern 0");
  expect(JSON.parse(text((await page()).bytes)).data).toHaveLength(10);
  for (const each of exports) each.return();
});

test("reads a large body as a small one is read, and refuses it in the same words", async () => {
  const members = Array.from({ length: 5000 }, (_, index) => `"member ${index}":1e0`).join();
  const body = (id: string) => `{${members},"id":${id},"name":"Fern"}`;
  expect(await read(body("9223372036854775807"))).toEqual({ id: 2n ** 63n - 1n, name: "Fern", tag: undefined });
  const error = await read(body("5.5")).catch((refusal) => refusal);
  expect([error.code, error.message]).toEqual(["member-invalid", expect.stringContaining('"id"')]);
});

test("leaves nobody waiting when a thread ends: what is under way is refused, and the next is answered", async () => {
  const { refused } = await endThreadAfter(() => ({ refused: page().catch((error) => error) }), { isDeaf: true });
  expect(await refused).toMatchObject({ code: "unavailable" });
  expect(failures).toEqual(["reader: Error: A thread of the service failed: it has ended"]);
  expect((await page()).bytes.length).toBeGreaterThan(100);
});

test("breaks an export off when its thread ends, so that it is not taken for a whole one", async () => {
  const first = pages();
  await first.next();
  const other = pages();
  await endThreadAfter(() => ({ page: other.next().catch((error) => error) }));
  const readOn = async () => {
    for (const each of [first, other]) while (!(await each.next()).done);
  };
  await expect(readOn()).rejects.toThrow();
});

test("refuses what is under way when it is closed, and what comes after", async () => {
  const underWay = page();
  underWay.catch(() => undefined);
  reading[Symbol.dispose]();
  await expect(underWay).rejects.toMatchObject({ code: "unavailable" });
  await expect(page()).rejects.toMatchObject({ code: "unavailable" });
});
