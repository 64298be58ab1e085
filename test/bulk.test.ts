import { afterAll, describe, expect, test } from "bun:test";
import { HARD_PLANTS, plantJson } from "./support/hard-plants.ts";
import { expectRefused } from "./support/refused.ts";
import { startService } from "./support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const token = await service.token();

const NDJSON = "application/x-ndjson";
const CSV = "text/csv";

interface Sending {
  readonly query?: string;
  readonly as?: string;
}

function send(type: string, body: BodyInit, { query = "", as = token }: Sending = {}): Promise<Response> {
  const headers = { Authorization: `Bearer ${as}`, "Content-Type": type };
  return fetch(`${service.url}/v1/plants${query}`, { method: "POST", headers, body });
}

async function report(type: string, body: BodyInit, sending?: Sending): Promise<Record<string, unknown>> {
  const answer = await send(type, body, sending);
  expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "application/json"]);
  return (await answer.json()) as Record<string, unknown>;
}

async function read(id: bigint | number | string, as = token): Promise<string> {
  return (await (await service.send("GET", `/v1/plants/${id}`, { as })).text()).replace(/,"created_at".*/, "}");
}

const refused = (line: number, error: number) => ({ line, error, message: expect.any(String) });
const summary = (created: number, unchanged: number, errors: object[] = []) => ({
  created,
  unchanged,
  failed: errors.length,
  errors,
});

describe("a bulk create of lines", () => {
  test("creates each as a create would, and sent again changes nothing", async () => {
    const body = '{"id":1,"name":"Fern"}\n{"id":2.0,"tag":"","name":"Moss"}\r\n\r\n  \n{"id":3e0,"name":""}';
    expect(await report(NDJSON, body)).toEqual(summary(3, 0));
    expect(await report(NDJSON, body)).toEqual(summary(0, 3));
    expect(await read(2)).toBe('{"id":2,"name":"Moss","tag":""}');
  });

  test("refuses a bad one by its line with what a create would say, and creates its neighbours", async () => {
    const lines = [
      '{"id":1,"name":"Another"}',
      "",
      '{"id":10,"name":"kept"}',
      "not json",
      '{"name":"no id"}',
      "[]",
      '{"id":"11","name":"x"}',
      '{"id":9223372036854775808,"name":"x"}',
      '{"id":12,"name":"x","tag":null}',
      '{"id":13,"name":"\\ud800"}',
      '{"id":14,"name":"kept"}',
      '{"id":14,"name":"kept"}',
      '{"id":14,"name":"another"}',
    ];
    const { errors, ...counts } = await report(NDJSON, lines.join("\n"));
    expect(counts).toEqual({ created: 2, unchanged: 1, failed: 9 });
    const codes = [40901, 40001, 40002, 40002, 40003, 40003, 40003, 40003, 40901];
    expect(errors).toEqual([1, 4, 5, 6, 7, 8, 9, 10, 13].map((line, i) => refused(line, codes[i] ?? 0)));
    for (const { line, error, message } of errors as { line: number; error: number; message: string }[]) {
      const single = await send("application/json", lines[line - 1] ?? "");
      const own = message.replace(`at line ${line},`, "at line 1,");
      expect([single.status, await single.json()]).toEqual([Math.floor(error / 100), { error, message: own }]);
    }
  });

  test("keeps every id and text exactly", async () => {
    const as = await service.token();
    const lines = HARD_PLANTS.map(plantJson);
    expect(await report(NDJSON, lines.join("\n"), { as })).toEqual(summary(lines.length, 0));
    for (const [place, { id }] of HARD_PLANTS.entries()) expect(await read(id, as)).toBe(lines[place] ?? "");
  });
});

describe("a bulk create of CSV", () => {
  test("alters no cell, and no id", async () => {
    const as = await service.token();
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
    const rows = HARD_PLANTS.map(({ id, name, tag }) => `${id},${cell(name)},${tag === undefined ? "" : cell(tag)}`);
    expect(await report(CSV, ["id,name,tag", ...rows, "40, =1+1 ,@x"].join("\n"), { as })).toEqual(
      summary(rows.length + 1, 0),
    );
    for (const plant of HARD_PLANTS) expect(await read(plant.id, as)).toBe(plantJson(plant));
    expect(await read(40, as)).toBe('{"id":40,"name":" =1+1 ","tag":"@x"}');
  });
});

test("an empty body, a blank one, and a CSV of nothing but its header are answered with zeros", async () => {
  for (const [type, body] of [
    [NDJSON, ""],
    [NDJSON, "\n\r\n \n"],
    [CSV, ""],
    [CSV, "\ufeff"],
    [CSV, "\ufeff\r\n\r\n"],
    [CSV, "\nid,name\n"],
    [CSV, "tag,id,name"],
  ] as const) {
    expect(await report(type, body)).toEqual(summary(0, 0));
  }
});

test("errors_max bounds the errors, which are those of the first lines, and not the count of them", async () => {
  const body = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? "x" : `{"id":1,"name":"other ${i}"}`)).join("\n");
  for (const [query, length] of [
    ["", 100],
    ["?errors_max=0", 0],
    ["?errors_max=7", 7],
    ["?errors_max=10000", 300],
  ] as const) {
    const { errors, failed } = await report(NDJSON, body, { query });
    expect(failed).toBe(300);
    expect((errors as { line: number }[]).map(({ line }) => line)).toEqual(Array.from({ length }, (_, i) => i + 1));
  }
  for (const query of [
    "errors_max=",
    "errors_max=10001",
    "errors_max=-1",
    "errors_max=1&errors_max=1",
    "errors_max=x",
  ]) {
    await expectRefused(await send(NDJSON, body, { query: `?${query}` }), 40004);
  }
});

test("the token comes before the content type, and that before the rest", async () => {
  const readOnly = await service.token({ scopes: ["plants:read"] });
  await expectRefused(await send(NDJSON, "x", { as: "x" }), 40102);
  await expectRefused(await send(NDJSON, "x", { as: readOnly }), 40301);
  for (const type of ["application/ndjson", "text/plain", "text/csv; charset=latin1"]) {
    await expectRefused(await send(type, "x", { query: "?errors_max=x" }), 41501);
  }
});

/** Plants with unordered ids, one on each line. `count` and the step are coprime, so every id occurs once. */
async function* shuffled(count: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < count; at += 1000) {
    const lines = Array.from({ length: 1000 }, (_, i) => {
      const id = 1_000_000 + (((at + i) * 7919) % count);
      return `{"id":${id},"name":"Plant ${id}","tag":"bulk"}\n`;
    });
    yield Buffer.from(lines.join(""));
  }
}

test("a long one of ids in no order has each outcome as if its lines came one by one", async () => {
  const as = await service.token();
  const count = 40_000;
  const twice = async function* () {
    yield* shuffled(count);
    yield Buffer.from('{"id":1000007,"name":"Another"}\n{"id":1000008,"name":"Plant 1000008","tag":"bulk"}\n');
  };
  expect(await report(NDJSON, twice() as unknown as BodyInit, { as })).toEqual(
    summary(count, 1, [refused(count + 1, 40901)]),
  );
  expect(await read(1_000_007, as)).toBe('{"id":1000007,"name":"Plant 1000007","tag":"bulk"}');
});

test("while a bulk create is under way single creates pass, and are not refused", async () => {
  const as = await service.token();
  const count = 50_000;
  const statuses: number[] = [];
  const besideSingles = async function* () {
    for await (const lines of shuffled(count)) {
      yield lines;
      const body = JSON.stringify({ id: 2_000_000 + statuses.length, name: "single" });
      statuses.push((await send("application/json", body, { as })).status);
    }
  };
  expect(await report(NDJSON, besideSingles() as unknown as BodyInit, { as })).toEqual(summary(count, 0));
  expect(statuses).toEqual(Array(50).fill(200));
});

test("a sender that leaves half-way leaves no fault behind, and what it sent may be sent again", async () => {
  const as = await service.token();
  const before = service.output().length;
  const leaving = new AbortController();
  const half = async function* () {
    yield* shuffled(3000);
    leaving.abort();
    await new Promise(() => {});
  };
  const headers = { Authorization: `Bearer ${as}`, "Content-Type": NDJSON };
  const body = half() as unknown as BodyInit;
  const sending = fetch(`${service.url}/v1/plants`, { method: "POST", headers, body, signal: leaving.signal });
  await expect(sending).rejects.toThrow();
  const again = await report(NDJSON, shuffled(3000) as unknown as BodyInit, { as });
  expect(Number(again.created) + Number(again.unchanged)).toBe(3000);
  expect(service.output().slice(before)).not.toContain("request failed");
});
