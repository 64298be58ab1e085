import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "./support/eventually.ts";
import { expectRefusedWithinASecond } from "./support/refused.ts";
import { startService, type TestService } from "./support/service.ts";

const service = await startService();
afterAll(() => service.stop());

interface Listed {
  readonly data: readonly { readonly id: number; readonly name: string }[];
  readonly next_cursor: string | null;
}

async function create(service: TestService, token: string, lines: readonly string[]): Promise<void> {
  const headers = { "Content-Type": "application/x-ndjson" };
  const answer = await service.send("POST", "/v1/plants", { as: token, headers, body: lines.join("\n") });
  expect(await answer.json()).toMatchObject({ created: lines.length });
}

/** The plants of all pages: the digits of their ids, and their names. */
async function found(service: TestService, token: string, query: Record<string, string>): Promise<[string, string][]> {
  const all: [string, string][] = [];
  let cursor: string | null = null;
  do {
    const parameters = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
    const answer = await service.send("GET", `/v1/plants?${parameters}`, { as: token });
    expect(answer.status).toBe(200);
    const text = await answer.text();
    const ids = [...text.matchAll(/\{"id":(-?\d+),/g)].map(([, digits = ""]) => digits);
    const page: Listed = JSON.parse(text);
    all.push(...page.data.map(({ name }, at): [string, string] => [ids[at] ?? "", name]));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return all;
}

function lines(from: number, to: number): string[] {
  return Array.from({ length: to - from }, (_, at) => {
    const id = from + at;
    return `{"id":${id},"name":"Hosta ${id % 5 ? "green" : "BLUE"} ${id}","tag":"${id % 3 ? "shade" : "sun"}"}`;
  });
}

/** How far the index has come, as another process reads it in the database. */
function indexed(service: TestService): number {
  const database = new Database(join(service.folder, "plantstore.db"));
  const { value } = database.query("SELECT coalesce(max(last), 0) AS value FROM plant_search_ranges").get() as {
    value: number;
  };
  database.close();
  return value;
}

test("an account removed beside a running service ends its token, and leaves nothing of its plants, in the index neither", async () => {
  const token = await service.token();
  await create(service, token, lines(0, 1500));
  await eventually("the index has come so far", () => indexed(service) >= 1024);
  const stores = JSON.parse(await service.command("account", "list", "--json")) as { owners: string[] }[];
  await service.command("account", "delete", "--yes", "--email", stores.at(-1)?.owners[0] ?? "");
  await expectRefusedWithinASecond(async () => (await service.send("GET", "/v1/plants/1", { as: token })).status);
  const database = new Database(join(service.folder, "plantstore.db"));
  const rows = (sql: string) => Object.values(database.query(sql).get() as object)[0];
  expect(rows("SELECT count(*) FROM plants")).toBe(0);
  expect(rows("SELECT count(*) FROM plant_counts")).toBe(0);
  expect(rows("SELECT count(*) FROM plant_search_1 WHERE plant_search_1 MATCH 'hos'")).toBe(0);
  database.close();
});

test("killed while it fills the index, the service finds exactly what was created once it is back", async () => {
  let service = await startService();
  const token = await service.token();
  const total = 2000;
  for (let at = 0; at < total; at += 1000) {
    await create(service, token, lines(at, at + 1000));
    await eventually("the index has come so far", () => indexed(service) > at - 512);
    await service.kill();
    service = await service.restart();
    const created = at + 1000;
    expect(await found(service, token, { q: "blue" })).toHaveLength(created / 5);
    expect(await found(service, token, { tag: "sun", limit: "1000" })).toHaveLength(Math.ceil(created / 3));
    expect(await found(service, token, { q: `hosta green ${created - 1}` })).toHaveLength(1);
  }
  await service.stop();
});
