import { afterAll, beforeAll, expect, test } from "bun:test";
import { VERSIONS } from "#contract/version.ts";
import { NO_OBSERVER } from "#core/observer.ts";
import { endThreadAfter } from "#test/support/end-thread.ts";
import { openTestStore, type TestStore } from "#test/support/stores.ts";
import { openReading } from "./reading.ts";
import { readSettings } from "./settings.ts";

const version = "1.0.0";
const query = { order: "id", limit: 10, tag: undefined, q: "fern", after: undefined } as const;

let opened: TestStore;
let account: number;
beforeAll(async () => {
  opened = await openTestStore("sqlite");
  account = await opened.account();
  const plants = Array.from({ length: 2000 }, (_, at) => ({ id: BigInt(at), name: `Fern ${at}`, tag: undefined }));
  await opened.store.plants.createMany(account, plants);
});
afterAll(() => opened.end());

function open(failures: string[] = []) {
  const observer = {
    ...NO_OBSERVER,
    failed: (part: string, error: unknown) => void failures.push(`${part}: ${error}`),
  };
  const settings = readSettings({ DATABASE_URL: opened.url });
  const reading = openReading(settings, opened.storage, { observer, versions: VERSIONS });
  const page = (of = account) => reading.reads.ask(of, "plantPage", { account: of, version, query });
  const pages = () => reading.reads.open(account, "exportPages", { account, version, type: "text/csv" }, true);
  return { close: () => reading[Symbol.dispose](), page, pages };
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

test("answers with bytes, also while exports stand still on every lane", async () => {
  const { page, pages, close } = open();
  const exports = [1, 2, 3].map(() => pages());
  for (const each of exports)
    expect(text((await each.next()).value?.bytes ?? new Uint8Array())).toStartWith("0,Fern 0");
  expect(JSON.parse(text((await page()).bytes)).data).toHaveLength(10);
  for (const each of exports) each.return();
  close();
});

test("refuses what is under way when it is closed, and what comes after", async () => {
  const { page, close } = open();
  const underWay = page();
  underWay.catch(() => undefined);
  close();
  await expect(underWay).rejects.toMatchObject({ code: "unavailable" });
  await expect(page()).rejects.toMatchObject({ code: "unavailable" });
});

test("leaves nobody waiting when a thread ends: what is under way is refused, and the next is answered", async () => {
  const failures: string[] = [];
  const { page, close } = open(failures);
  await page();
  const { refused } = await endThreadAfter(() => ({ refused: page().catch((error) => error) }));
  expect(await refused).toMatchObject({ code: "unavailable" });
  expect(failures).toEqual(["reader: Error: A thread of the service failed: it has ended"]);
  expect((await page()).bytes.length).toBeGreaterThan(100);
  close();
});

test("breaks an export off when its thread ends, so that it is not taken for a whole one", async () => {
  const { pages, close } = open();
  const first = pages();
  await first.next();
  const other = pages();
  await endThreadAfter(() => ({ page: other.next().catch((error) => error) }));
  await expect(
    (async () => {
      for (const each of [first, other]) while (!(await each.next()).done);
    })(),
  ).rejects.toThrow();
  close();
});
