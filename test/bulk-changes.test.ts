import { afterAll, describe, expect, test } from "bun:test";
import { ENGINES } from "./support/engines.ts";
import { startService } from "./support/service.ts";

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";
const UPDATE = "import?existing=update";

interface Sending {
  readonly type?: string;
  readonly as?: string;
}

describe.each(ENGINES)("on %s,", async (engine) => {
  const service = await startService({ engine });
  afterAll(() => service.stop());
  let token = await service.token();

  async function send(path: string, body: BodyInit, { type = NDJSON, as = token }: Sending = {}): Promise<Response> {
    const headers = { Authorization: `Bearer ${as}`, "Content-Type": type };
    return fetch(`${service.url}/v1/plants/${path}`, { method: "POST", headers, body });
  }
  async function report(path: string, body: BodyInit, sending?: Sending): Promise<Record<string, unknown>> {
    const answer = await send(path, body, sending);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
    return JSON.parse(text);
  }
  /** The plants of the store, as `id name|tag`. */
  async function kept(as = token): Promise<string[]> {
    const answer = await service.send("GET", "/v1/plants?limit=1000", { as });
    const { data } = (await answer.json()) as { data: { id: number; name: string; tag?: string }[] };
    return data.map(({ id, name, tag }) => `${id} ${name}${tag === undefined ? "" : `|${tag}`}`);
  }
  /** The events of the store, oldest first. */
  async function events(as = token) {
    const answer = await service.send("GET", "/v1/events?limit=1000", { as });
    const { data } = (await answer.json()) as { data: { type: string; data: { plant_id: string } }[] };
    return data.map(({ type, data }) => `${type.replace("plant.", "")} ${data.plant_id}`);
  }
  async function newStore(...lines: string[]): Promise<void> {
    token = await service.token();
    if (lines.length > 0) await report("import", lines.join("\n"));
  }
  const refused = (line: number, error: number) => ({ line, error, message: expect.any(String) });

  describe("an import that updates", () => {
    test("sets what a line has, leaves the rest, and tells of each change as of any other", async () => {
      const plants = [1, 2, 3, 4].map((id) => `{"id":${id},"name":"Fern","tag":"indoor"}`);
      await newStore(...plants);
      const lines = [
        '{"id":1,"name":"Moss"}',
        '{"id":2,"tag":null}',
        '{"id":3,"name":"Fern","tag":"indoor"}',
        '{"id":4}',
        '{"id":5,"name":"Rose"}',
        '{"id":6,"tag":"x"}',
        '{"id":1,"tag":"shade"}',
        '{"id":7,"name":"a"}',
        '{"id":7,"name":"b","tag":""}',
        '{"id":7,"name":"b"}',
      ];
      const answer = await report(UPDATE, lines.join("\n"));
      expect(answer).toEqual({ created: 2, updated: 4, unchanged: 3, failed: 1, errors: [refused(6, 40002)] });
      expect(Object.keys(answer)).toEqual(["created", "updated", "unchanged", "failed", "errors"]);
      const after = ["1 Moss|shade", "2 Fern", "3 Fern|indoor", "4 Fern|indoor", "5 Rose", "7 b|"];
      expect(await kept()).toEqual(after);
      const told = (await events()).slice(4);
      expect(told.toSorted()).toEqual(
        ["changed 1", "changed 2", "created 5", "changed 1", "created 7", "changed 7"].toSorted(),
      );
      expect(await report(UPDATE, lines.slice(0, 5).join("\n"))).toMatchObject({
        created: 0,
        updated: 0,
        unchanged: 5,
      });
      expect((await events()).slice(4)).toEqual(told);
    });

    test("reads a column that is missing, a cell that is missing and an empty cell as they are meant", async () => {
      await newStore(...[1, 2, 3, 4].map((id) => `{"id":${id},"name":"Fern","tag":"indoor"}`));
      const csv = 'id,name,tag\n1,Moss,\n2\n3,Rose\n4,Fern,""\n5,Ivy,x\n';
      const answer = { created: 1, updated: 3, unchanged: 1, failed: 0, errors: [] };
      expect(await report(UPDATE, csv, { type: CSV })).toEqual(answer);
      expect(await kept()).toEqual(["1 Moss", "2 Fern|indoor", "3 Rose|indoor", "4 Fern|", "5 Ivy|x"]);
      const tags = await report(UPDATE, "tag,id\na,1\nb,9\n", { type: CSV });
      expect(tags).toEqual({ created: 0, updated: 1, unchanged: 0, failed: 1, errors: [refused(3, 40002)] });
      expect((await kept())[0]).toBe("1 Moss|a");
    });

    test("changes long texts too, and what a create refuses it refuses", async () => {
      await newStore();
      const long = "x".repeat(300_000);
      const lines = [
        `{"id":1,"name":"${long}"}`,
        '{"id":1,"tag":"a"}',
        '{"id":1,"name":"Fern"}',
        '{"id":2,"name":"y"}',
      ];
      expect(await report(UPDATE, lines.join("\n"))).toMatchObject({ created: 2, updated: 2, failed: 0 });
      expect(await kept()).toEqual(["1 Fern|a", "2 y"]);
      // Of each length, with some too long for any slice, and two records of each plant.
      const ids = Array.from({ length: 300 }, (_, at) => at + 10);
      const named = (tag: string) =>
        ids.map((id) => `{"id":${id},"name":"${"n".repeat((id * 37) % 700)}","tag":"${tag}"}`);
      const large = (tag: string) => [20, 21, 99].map((id) => `{"id":${id},"name":"${long}","tag":"${tag}"}`);
      await report("import", named("a").join("\n"));
      const twice = [...large("b"), ...named("c"), ...large("d"), ...named("e"), ...large("f")];
      expect(await report(UPDATE, twice.join("\n"))).toMatchObject({ created: 0, updated: 609, failed: 0 });
      expect((await kept()).filter((plant) => plant.endsWith("|f")).map((plant) => plant.split(" ")[0])).toEqual([
        "20",
        "21",
        "99",
      ]);
      expect(await report("remove", ids.join("\n"))).toMatchObject({ removed: 300, missing: 0 });
      const bad = ["{", "[]", '{"name":"x"}', '{"id":1.5}', '{"id":1,"name":null}', '{"id":1,"tag":7}'];
      const { errors } = await report(UPDATE, bad.join("\n"));
      expect(errors).toEqual([40001, 40002, 40002, 40003, 40003, 40003].map((error, at) => refused(at + 1, error)));
    });
  });

  describe("a removal of many", () => {
    test("removes each id that is there, counts the others, and tells of each as of any other", async () => {
      await newStore(
        ...[1, 2, 3, 4, 5].map((id) => `{"id":${id},"name":"Fern"}`),
        '{"id":-9223372036854775808,"name":"x"}',
      );
      const etag = (await service.send("GET", "/v1/plants/4", { as: token })).headers.get("ETag");
      const lines = [
        "1",
        '"2"',
        " 1 ",
        '{"id":3}',
        '{"plant_id":"99"}',
        JSON.stringify({ plant_id: "4", id: 4, etag, name: "as exported", created_at: "2026-01-01T00:00:00.000Z" }),
        '{"id":5,"etag":"\\"x.1\\""}',
        '{"plant_id":"9007199254740993","id":9007199254740992}',
        "",
        "-9223372036854775808",
        '{"name":"x"}',
        "[5]",
        "5.5",
        '"05"',
        "{",
        '{"id":"5"}',
        '{"id":5,"etag":5}',
        '{"id":5,"Etag":"\\"x.1\\""}',
      ];
      const answer = await report("remove", lines.join("\n"));
      const codes = [41201, 40003, 40002, 40002, 40003, 40003, 40001, 40003, 40003, 40003];
      const at = [7, 8, 11, 12, 13, 14, 15, 16, 17, 18];
      expect(answer).toEqual({
        removed: 5,
        missing: 2,
        failed: 10,
        errors: at.map((line, place) => refused(line, codes[place] ?? 0)),
      });
      expect(Object.keys(answer)).toEqual(["removed", "missing", "failed", "errors"]);
      expect(await kept()).toEqual(["5 Fern"]);
      const told = (await events()).slice(6);
      expect(told.toSorted()).toEqual([1, 2, 3, 4, "-9223372036854775808"].map((id) => `removed ${id}`).toSorted());
    });

    test("reads the column id of a CSV as an import does", async () => {
      await newStore(...[1, 2, 3].map((id) => `{"id":${id},"name":"Fern"}`));
      const csv = 'name,id\nx,1\n,="2"\n,\n,0003\ny,3.0\nz,4\n';
      const errors = [refused(5, 40003)];
      expect(await report("remove?errors_max=1", csv, { type: CSV })).toEqual({
        removed: 3,
        missing: 1,
        failed: 1,
        errors,
      });
      expect(await kept()).toEqual([]);
    });

    test("is refused whole where it has no column id, another type, or a parameter with another value", async () => {
      for (const [path, body, type, status] of [
        ["remove", "name\nx\n", CSV, 400],
        ["remove", "1", "application/json", 415],
        ["remove?dry_run=1", "1", NDJSON, 400],
        ["remove?errors_max=x", "1", NDJSON, 400],
        ["import?existing=replace", "", NDJSON, 400],
        ["import?existing=", "", NDJSON, 400],
        ["import?dry_run=yes", "", NDJSON, 400],
        ["import?existing=update&existing=update", "", NDJSON, 400],
      ] as const) {
        expect([path, (await send(path, body, { type })).status]).toEqual([path, status]);
      }
      const reader = await service.token({ scopes: ["plants:read"] });
      expect((await send("remove", "1", { as: reader })).status).toBe(403);
      expect(await report("remove", "")).toEqual({ removed: 0, missing: 0, failed: 0, errors: [] });
    });
  });

  describe("a dry run", () => {
    test("answers what would be, record by record, and writes nothing", async () => {
      const long = "x".repeat(20_000);
      await newStore('{"id":1,"name":"Fern","tag":"indoor"}', '{"id":2,"name":"Moss"}', `{"id":3,"name":"${long}"}`);
      const before = [await kept(), await events()];
      const lines = [
        '{"id":1,"name":"Fern"}',
        '{"id":1,"tag":null}',
        '{"id":1,"name":"Fern","tag":null}',
        '{"id":1,"name":"Rose"}',
        '{"id":2,"tag":"a"}',
        '{"id":3,"tag":"a"}',
        `{"id":3,"name":"${long}"}`,
        '{"id":9,"tag":"a"}',
        '{"id":9,"name":"Ivy"}',
        '{"id":9,"name":"Ivy","tag":"b"}',
        '{"id":9,"name":"Ivy"}',
      ];
      const would = { created: 1, updated: 5, unchanged: 4, failed: 1, errors: [refused(8, 40002)] };
      expect(await report(`${UPDATE}&dry_run=true`, lines.join("\n"))).toEqual(would);
      expect([await kept(), await events()]).toEqual(before);
      expect(await report(UPDATE, lines.join("\n"))).toEqual(would);
    });

    test("of creates and of removals does so too", async () => {
      await newStore('{"id":1,"name":"Fern"}', '{"id":2,"name":"Moss"}');
      const creates = [
        '{"id":1,"name":"Fern"}',
        '{"id":2,"name":"x"}',
        '{"id":3,"name":"a"}',
        '{"id":3,"name":"b"}',
        '{"id":3,"name":"a"}',
      ];
      const would = { created: 1, unchanged: 2, failed: 2, errors: [refused(2, 40901), refused(4, 40901)] };
      expect(await report("import?dry_run=true", creates.join("\n"))).toEqual(would);
      const removals = { removed: 2, missing: 2, failed: 1, errors: [refused(1, 41201)] };
      const ids = '{"id":1,"etag":"x"}\n1\n1\n"2"\n3\n';
      expect(await report("remove?dry_run=true", ids)).toEqual(removals);
      expect(await kept()).toEqual(["1 Fern", "2 Moss"]);
      expect(await report("import", creates.join("\n"))).toEqual(would);
      expect(await report("remove", ids)).toMatchObject({ removed: 3, missing: 1 });
    });
  });
});
