import { afterAll, describe, expect, test } from "bun:test";
import type { ImportRecord, Imports } from "#contract/dashboard/imports.ts";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Role } from "#core/role.ts";
import { ENGINES } from "./support/engines.ts";
import { eventually } from "./support/eventually.ts";
import { expectRefused } from "./support/refused.ts";
import { startService, type TestService } from "./support/service.ts";
import { addAccount, type Holder, onDatabase } from "./support/test-account.ts";
import { PASSWORD, TestBrowser } from "./support/test-browser.ts";

const API = "/dashboard/api";
const NDJSON = { "Content-Type": "application/x-ndjson" };

interface EventView {
  readonly type: string;
  readonly data: { readonly plant_id: string };
  readonly by: { readonly kind: string; readonly name: string } | null;
}
interface PlantPage {
  readonly data: { readonly id: number; readonly name: string; readonly tag?: string }[];
  readonly next_cursor: string | null;
}

const lines = (count: number, line: (id: number) => object) =>
  Array.from({ length: count }, (_, at) => JSON.stringify(line(at + 1))).join("\n");
const ferns = (count: number) => lines(count, (id) => ({ id, name: `Fern ${id}` }));

async function signedIn(service: TestService, holder: Pick<Holder, "email">, storeId: string) {
  const browser = new TestBrowser(service, { headers: { "Plantstore-Account": storeId } });
  expect((await browser.signIn(holder.email, PASSWORD)).status).toBe(200);
  return browser;
}

/** A page of a person in a store. */
class Page {
  constructor(
    readonly browser: TestBrowser,
    readonly store: Holder,
  ) {}

  static async of(service: TestService): Promise<Page> {
    const name = `${crypto.randomUUID()}@example.test`;
    const store = await onDatabase(service.environment, (storage) => addAccount(storage, name));
    return new Page(await signedIn(service, store, store.storeId), store);
  }

  at(service: TestService): Page {
    const browser = new TestBrowser(service, { headers: { "Plantstore-Account": this.store.storeId } });
    for (const [name, value] of this.browser.cookies) browser.cookies.set(name, value);
    return new Page(browser, this.store);
  }

  send(method: string, path: string, body?: unknown): Promise<Response> {
    return this.browser.send(method, API + path, body);
  }

  async read<T>(path: string): Promise<T> {
    const answer = await this.send("GET", path);
    expect(answer.status).toBe(200);
    return answer.json() as Promise<T>;
  }

  async begin(file_name = "Prices.xlsx"): Promise<string> {
    const answer = await this.send("POST", "/imports", { file_name });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { id: string }).id;
  }

  sendFile(id: string, text: string, query = ""): Promise<Response> {
    const path = `${API}/v1/plants/import?import=${id}${query}`;
    return this.browser.send("POST", path, new Blob([text]), NDJSON);
  }

  async import(text: string, query = ""): Promise<string> {
    const id = await this.begin();
    const answer = await this.sendFile(id, text, query);
    expect(answer.status).toBe(200);
    return id;
  }

  async undo(id: string): Promise<ImportRecord> {
    expect((await this.send("POST", `/imports/${id}/undo`)).status).toBe(202);
    return this.ended(id);
  }

  async ended(id: string): Promise<ImportRecord> {
    let record = await this.read<ImportRecord>(`/imports/${id}`);
    await eventually("the undo has ended", async () => {
      record = await this.read<ImportRecord>(`/imports/${id}`);
      return record.undo?.state !== "running";
    });
    return record;
  }

  async plants(): Promise<string[]> {
    const { data } = await this.read<PlantPage>("/v1/plants?limit=1000");
    return data.map(({ id, name, tag }) => `${id} ${name}${tag === undefined ? "" : `|${tag}`}`);
  }

  change(id: number, body: object): Promise<Response> {
    return this.send("PATCH", `/v1/plants/${id}`, body);
  }
}

const nothingLeft = { changed: 0, removed: 0, replaced: 0 };

describe.each(ENGINES)("an import by a page, on %s,", async (engine) => {
  let service = await startService({ engine });
  afterAll(() => service.stop());

  test("is listed with its file and counts, shows its plants, and is undone with an event for each", async () => {
    const page = await Page.of(service);
    await page.send("POST", "/v1/plants", { id: 1, name: "Old", tag: "sun" });
    await page.send("POST", "/v1/plants", { id: 2, name: "Same" });
    const big = "9223372036854775807";
    const file = ['{"id":1,"name":"New","tag":null}', '{"id":2,"name":"Same"}', `{"id":${big},"name":"a"}`];
    const id = await page.import(
      [...file, `{"id":${big},"name":"b"}`, '{"id":4,"name":"Moss"}'].join("\n"),
      "&existing=update",
    );
    const by = { kind: "person" as const, id: page.store.id, name: expect.any(String) };
    const record = { id, file_name: "Prices.xlsx", at: expect.any(String), by, undo: null };
    const imported = { ...record, counts: { created: 2, updated: 2 } };
    expect(await page.read<Imports>("/imports")).toEqual({ data: [imported] });
    expect((await page.read<Overview>("/overview")).last_imports).toEqual([imported]);
    expect(await page.read<ImportRecord>(`/imports/${id}`)).toEqual(imported);
    const shown = await (await page.send("GET", `/imports/${id}/plants`)).text();
    expect(shown.match(/"id":(\d+)/g)).toEqual(['"id":1', `"id":${big}`, '"id":4']);
    const undone = { state: "done" as const, by, removed: 2, restored: 1, left: nothingLeft, left_plants: [] };
    expect((await page.undo(id)).undo).toEqual(undone);
    expect(await page.plants()).toEqual(["1 Old|sun", "2 Same"]);
    expect((await page.undo(id)).undo).toEqual(undone);
    const { data } = await page.read<{ data: EventView[] }>("/v1/events?limit=100");
    const told = data.map(({ type, data: { plant_id }, by }) => `${type.slice(6)} ${plant_id} ${by?.kind}`);
    expect(told.slice(-3).sort()).toEqual([`changed 1 person`, `removed 4 person`, `removed ${big} person`]);
    expect(told).toHaveLength(9);
    expect((await page.read<PlantPage>(`/imports/${id}/plants`)).data.map(({ id }) => id)).toEqual([1]);
  });

  test("leaves what somebody changed, removed, or removed and added again since, and names it", async () => {
    const page = await Page.of(service);
    await page.send("POST", "/v1/plants", { id: 1, name: "Old" });
    await page.send("POST", "/v1/plants", { id: 2, name: "Old" });
    const id = await page.import(
      lines(6, (id) => ({ id, name: `Fern ${id}` })),
      "&existing=update",
    );
    await page.change(2, { name: "Mine" });
    await page.change(3, { tag: "mine" });
    await page.change(3, { tag: null });
    await page.send("DELETE", "/v1/plants/4");
    await page.send("DELETE", "/v1/plants/5");
    await page.send("POST", "/v1/plants", { id: 5, name: "Fern 5" });
    const shown = await page.read<PlantPage>(`/imports/${id}/plants`);
    expect(shown.data.map(({ id }) => id)).toEqual([3, 6, 1, 2].sort());
    const { undo } = await page.undo(id);
    expect(undo).toMatchObject({
      state: "done",
      removed: 1,
      restored: 1,
      left: { changed: 2, removed: 1, replaced: 1 },
    });
    expect(undo?.left_plants.toSorted((a, b) => Number(a.id) - Number(b.id))).toEqual([
      { id: "2", name: "Mine", reason: "changed" },
      { id: "3", name: "Fern 3", reason: "changed" },
      { id: "4", name: null, reason: "removed" },
      { id: "5", name: "Fern 5", reason: "replaced" },
    ]);
    expect(await page.plants()).toEqual(["1 Old", "2 Mine", "3 Fern 3", "5 Fern 5"]);
  });

  test("puts back what was there after another's change between two of its records", async () => {
    const page = await Page.of(service);
    await page.send("POST", "/v1/plants", { id: 1, name: "Old" });
    const id = await page.import('{"id":1,"name":"First"}', "&existing=update");
    await page.change(1, { name: "Mine" });
    expect((await page.sendFile(id, '{"id":1,"name":"Second"}', "&existing=update")).status).toBe(200);
    expect((await page.undo(id)).undo).toMatchObject({ restored: 1, left: nothingLeft });
    expect(await page.plants()).toEqual(["1 Mine"]);
  });

  test("is refused with another store's id, an unknown one, and while it is undone; a program has none", async () => {
    const [page, other] = [await Page.of(service), await Page.of(service)];
    const id = await page.import(ferns(2));
    for (const each of [await other.begin(), "imp_1", ""])
      await expectRefused(await page.sendFile(each, ferns(1)), 40004);
    const token = await service.token();
    const sent = { as: token, headers: NDJSON, body: ferns(1) };
    const unknown = 'The query is malformed: it has the parameter "import"';
    await expectRefused(await service.send("POST", `/v1/plants/import?import=${id}`, sent), 40004, unknown);
    const records = new Blob([ferns(1)]);
    const elsewhere = await page.browser.send("POST", `${API}/v1/plants?import=${id}`, records, NDJSON);
    await expectRefused(elsewhere, 40004, unknown);
    for (const path of ["", "/plants"]) await expectRefused(await other.send("GET", `/imports/${id}${path}`), 40450);
    await expectRefused(await other.send("POST", `/imports/${id}/undo`), 40450);
    await expectRefused(await page.send("GET", `/imports/${id}/plants?cursor=x`), 40004);
    expect((await other.read<Imports>("/imports")).data).toHaveLength(1);
    await page.undo(id);
    await expectRefused(await page.sendFile(id, ferns(1)), 40004);
    expect(await page.plants()).toEqual([]);
  });

  test("is undone by two at once, beside changes of others, so that each plant is counted once", async () => {
    const page = await Page.of(service);
    const count = 1200;
    const id = await page.import(ferns(count));
    const pages: PlantPage["data"] = [];
    for (let cursor = ""; ; ) {
      const { data, next_cursor } = await page.read<PlantPage>(`/imports/${id}/plants${cursor}`);
      pages.push(...data);
      if (next_cursor === null) break;
      cursor = `?cursor=${next_cursor}`;
    }
    expect(new Set(pages.map(({ id }) => id)).size).toBe(count);
    const changing = Promise.all(
      Array.from({ length: 30 }, async (_, at) => (await page.change(40 * at + 1, { tag: "mine" })).status),
    );
    const [first, second] = await Promise.all([page.undo(id), page.undo(id)]);
    const kept = (await changing).filter((status) => status === 200).length;
    const { undo } = await page.ended(id);
    expect([first.undo?.state, second.undo?.state]).toEqual(["done", "done"]);
    expect(undo).toMatchObject({ removed: count - kept, left: { changed: kept, removed: 0, replaced: 0 } });
    expect(await page.plants()).toHaveLength(kept);
  });

  /** Resolves while an undo of so many plants is under way. */
  async function underWay(page: Page, id: string): Promise<void> {
    expect((await page.send("POST", `/imports/${id}/undo`)).status).toBe(202);
    await eventually("some plants are removed", async () => {
      const { undo } = await page.read<ImportRecord>(`/imports/${id}`);
      return (undo?.removed ?? 0) > 0;
    });
  }

  test("is undone no further once who asked for it may change no plants, and goes on for who asks again", async () => {
    const page = await Page.of(service);
    const join = (role: Role) =>
      onDatabase(service.environment, async (storage) => {
        const joining = await addAccount(storage, `${crypto.randomUUID()}@example.test`);
        const caller = { account: page.store.account, actor: { kind: "operator", id: "", name: "tests" } } as const;
        await storage.records.members.add(caller, joining, role);
        return joining;
      });
    const [editor, viewer] = [await join("editor"), await join("viewer")];
    const reader = new Page(await signedIn(service, viewer, page.store.storeId), page.store);
    const id = await page.import(ferns(3000));
    expect((await reader.read<Imports>("/imports")).data).toHaveLength(1);
    await expectRefused(await reader.send("POST", "/imports", { file_name: "a.csv" }), 40356);
    await expectRefused(await reader.send("POST", `/imports/${id}/undo`), 40356);
    await underWay(new Page(await signedIn(service, editor, page.store.storeId), page.store), id);
    expect((await page.send("POST", `/people/${editor.id}/remove`, {})).status).toBe(204);
    const { undo } = await page.ended(id);
    expect(undo).toMatchObject({ state: "stopped", by: { id: editor.id } });
    expect(undo?.removed).toBeLessThan(3000);
    expect((await page.undo(id)).undo).toMatchObject({ state: "done", removed: 3000, by: { id: page.store.id } });
  });

  test("is undone to its end by the next start if the process is killed meanwhile, and counts each plant once", async () => {
    const page = await Page.of(service);
    const id = await page.import(ferns(4000));
    await page.change(4000, { name: "Mine" });
    await underWay(page, id);
    await service.kill();
    service = await service.restart();
    const after = page.at(service);
    const half = await after.read<ImportRecord>(`/imports/${id}`);
    expect(half.undo?.state).toBe("running");
    const { undo } = await after.ended(id);
    expect(undo).toMatchObject({ state: "done", removed: 3999, left: { changed: 1, removed: 0, replaced: 0 } });
    expect(await after.plants()).toEqual(["4000 Mine"]);
  });
});
