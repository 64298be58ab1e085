import { expect, test } from "bun:test";
import { HOUR_MS } from "#core/duration.ts";
import { withOptional } from "#core/plant-members.ts";
import { newDatabase } from "#test/support/engines.ts";
import { eventually } from "#test/support/eventually.ts";
import { always } from "#test/support/plant-lists.ts";
import { refusalOf } from "#test/support/refusal.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { describeRecords, openTestRecords } from "#test/support/test-records.ts";
import { move } from "./move/move.ts";
import { openStorage } from "./open.ts";

describeRecords("imports that can be undone", (opened, engine) => {
  const by = { kind: "person", id: "7Xb2", name: "Ada" } as const;

  test("go with their store, and before events that are too old", async () => {
    const { records, reads } = opened;
    const [kept, gone] = [await opened.account(), await opened.account()];
    for (const account of [kept, gone]) await records.imports.begin(account, "a.csv", by);
    const operator = { actor: { kind: "operator", id: "", name: "tests" } } as const;
    await records.stores.remove(gone, operator);
    expect(await reads.imports.list(gone)).toEqual([]);
    const now = Date.now();
    while (await records.events.expire(now + HOUR_MS - 60_000, HOUR_MS));
    expect(await reads.imports.list(kept)).toMatchObject([{ fileName: "a.csv", by }]);
    while (await records.events.expire(now + HOUR_MS + 60_000, HOUR_MS));
    expect(await reads.imports.list(kept)).toEqual([]);
  });

  test("are the newest thousand of a store", async () => {
    const { records, reads, storage } = opened;
    const account = await opened.account();
    const rows = Array.from({ length: 1000 }, (_, at) => ({ id: `imp_${at}`, account, at, actor: "", file_name: "a" }));
    for (let at = 0; at < 1000; at += 200)
      await storage.db
        .insertInto("imports")
        .values(rows.slice(at, at + 200))
        .execute();
    const id = await records.imports.begin(account, "b.csv", by);
    expect(await reads.imports.find(account, "imp_0")).toBeUndefined();
    expect(await reads.imports.find(account, "imp_1")).toBeDefined();
    expect((await reads.imports.list(account)).map((each) => each.id).slice(0, 2)).toEqual([id, "imp_999"]);
  });

  test("are none where no events are kept", async () => {
    const storage = await openStorage(opened.url, { keepsEvents: false });
    expect(await refusalOf(storage.records.imports.begin(await opened.account(), "a.csv", by))).toBe("address-unknown");
    await storage.records.close();
  });

  test("give a plant back every text that it had", async () => {
    const { records, reads } = opened;
    const { account, id: person } = await opened.holder();
    const ada = { ...by, id: person };
    const kept = withOptional({ id: 1n, name: "Fern" }, (member) => `a ${member}`);
    const others = withOptional({ id: 2n, name: "Rose" }, () => undefined);
    await records.plants.createMany(account, [kept, others], undefined, ada);
    const id = await records.imports.begin(account, "a.csv", ada);
    const marked = { ...ada, importMark: id };
    await records.plants.put(account, { ...others, id: 1n }, always, undefined, marked);
    await records.plants.put(account, { ...kept, id: 2n }, always, undefined, marked);
    await records.imports.undo(account, id, ada);
    await eventually("it is undone", async () => (await reads.imports.find(account, id))?.undo?.state === "done");
    expect(await reads.plants.findEach(account, [1n, 2n])).toMatchObject([kept, others]);
  });

  test("can also be undone after a move to the other engine", async () => {
    const from = await openTestRecords(engine);
    const { records } = from;
    const { account, id: person } = await from.holder();
    const ada = { ...by, id: person };
    const id = await records.imports.begin(account, "a.csv", ada);
    await records.plants.createMany(account, [{ id: 1n, name: "Fern", tag: undefined }], undefined, {
      ...ada,
      importMark: id,
    });
    const to = await newDatabase(engine === "sqlite" ? "postgres" : "sqlite", temporaryFolder());
    await from.end();
    await move({ from: from.url, to, replace: false, onProgress: () => {} });
    const moved = await openStorage(to);
    expect((await moved.reads.imports.plants(account, id, 0n)).plants.map((plant) => plant.id)).toEqual([1n]);
    await moved.records.imports.undo(account, id, ada);
    const undone = async () => (await moved.reads.imports.find(account, id))?.undo;
    await eventually("it is undone", async () => (await undone())?.state === "done");
    expect(await undone()).toMatchObject({ removed: 1 });
    await moved.records.close();
  });
});
