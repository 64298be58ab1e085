import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocument } from "#scripts/tables.ts";
import { PATH_WITH_CURL } from "./support/curl.ts";
import { freePort } from "./support/free-port.ts";
import { outcomeOf } from "./support/process.ts";
import { missingPython, python } from "./support/python-client.ts";
import { startService, temporaryFolder } from "./support/service.ts";
import { describeUnless, missingProgram } from "./support/skipped.ts";

const RECIPE = "docs/recipes/nightly-sync";

const PROGRAMS = [
  {
    name: "shell",
    lacks: undefined,
    text: /<<'END'\n([\s\S]*?)END\n/.exec(readDocument(`${RECIPE}.md`))?.[1] ?? "",
    command: ["sh"],
  },
  { name: "Python", lacks: missingPython(), text: readDocument(`${RECIPE}.py`), command: python().cmd },
  { name: "PHP", lacks: missingProgram("php"), text: readDocument(`${RECIPE}.php`), command: ["php"] },
];

interface Product {
  readonly id: string;
  readonly name: string;
  readonly tag?: string;
}

const service = await startService();
/** Every request passes through it, so that each can be seen. */
let onRequest = (_: Request) => {};
const proxy = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    const { method, headers } = request;
    const body = method === "POST" ? await request.bytes() : undefined;
    onRequest(request);
    return fetch(service.url + pathname + search, { method, headers, body, decompress: false });
  },
});
afterAll(async () => {
  await proxy.stop(true);
  await service.stop();
});

for (const { name, lacks, text, command } of PROGRAMS)
  describeUnless(lacks, `the nightly sync in ${name}`, () => {
    test("makes the store what the list says in four requests, though it was killed, and though two run at once", async () => {
      const { token, folder, env, start, run, there } = await openShop(text, command, { REMOVE_MAX: "100" });
      const asked: string[] = [];
      onRequest = ({ url }) => void asked.push(url.slice(proxy.url.origin.length));

      const first = [...products(0, 300), { id: "9007199254740993", name: 'Two\nlines, "quoted"', tag: "ß" }];
      writeLists(folder, first);
      await run();
      expect(asked).toEqual([
        expect.stringMatching(/^\/v1\/plants(\/export)?$/),
        expect.stringMatching(/^\/v1\/plants\/import\?existing=update&dry_run=true/),
        expect.stringMatching(/^\/v1\/plants\/import\?existing=update/),
        expect.stringMatching(/^\/v1\/plants\/remove/),
      ]);
      expect(await there()).toEqual(expected(first));

      const next = [...products(100, 400), { id: "9007199254740993", name: "One line" }];
      writeLists(folder, next);
      const kill = async (killedAt: number, signal: "SIGTERM" | "SIGKILL") => {
        let count = 0;
        const child = start();
        onRequest = () => {
          if (++count === killedAt) child.kill(signal);
        };
        expect(await child.exited).not.toBe(0);
        expect(count).toBeGreaterThanOrEqual(killedAt);
      };
      await kill(1, "SIGTERM");
      expect(readdirSync(env.TMPDIR)).toEqual([]);
      for (const killedAt of [2, 3, 4]) await kill(killedAt, "SIGKILL");
      onRequest = () => {};
      await run();
      expect(await there()).toEqual(expected(next));

      writeLists(folder, first);
      await Promise.all([run(), run()]);
      expect(await there()).toEqual(expected(first));
      const feed = async () => (await service.send("GET", "/v1/events?order=-timestamp&limit=1", { as: token })).text();
      const before = await feed();
      await run();
      expect(await feed()).toBe(before);

      writeLists(folder, []);
      expect((await outcomeOf(start())).out).not.toContain("removed");
      expect(await there()).toEqual(expected(first));

      // Lists in forms that the program may read otherwise than the service: nothing of them may be taken for gone.
      for (const form of FOREIGN_FORMS) {
        writeFileSync(join(folder, "products.ndjson"), first.map((each) => `${form.line(each)}\n`).join(""));
        writeFileSync(join(folder, "products.csv"), form.head + first.map((each) => `${form.row(each)}\n`).join(""));
        await outcomeOf(start({ REMOVE_MAX: "1000" }));
        expect(await there()).toEqual(expected(first));
      }
    }, 60_000);

    test("changes nothing, and says why, where the list or the service is not as it should be", async () => {
      const { folder, start, run, there } = await openShop(text, command);
      const first = [...products(0, 300), { id: "9007199254740993", name: 'Two\nlines, "quoted"', tag: "ß" }];
      const stops = async (reason: RegExp, settings?: Record<string, string>) => {
        const { code, out, problem } = await outcomeOf(start(settings));
        expect([code, out, problem]).toEqual([1, "", expect.stringMatching(reason)]);
      };
      const rewrite = (name: string, change: (list: string) => string) =>
        writeFileSync(join(folder, name), change(readFileSync(join(folder, name), "utf8")));
      writeLists(folder, first);
      await run();

      writeLists(folder, [...first, ...first.slice(7, 8)]);
      await stops(/the id 7 is there twice/i);
      writeLists(folder, first.slice(31));
      await stops(/31 plants would be removed; if that is right, set REMOVE_MAX=31\n$/);
      writeLists(folder, products(0, 300));
      rewrite("products.csv", (list) => list.replace("100,Plant", '100,"Plant'));
      rewrite("products.ndjson", (list) => list.replace('"Plant 100', '""Plant 100'));
      await stops(/refused|unexpected end of data/, { REMOVE_MAX: "1000" });
      // The client in Python would try again for a while.
      if (name !== "Python")
        await stops(/export failed: no answer; run it again\n$/, { PLANTSTORE_URL: `http://127.0.0.1:${freePort()}` });
      expect(await there()).toEqual(expected(first));

      writeLists(folder, first);
      rewrite("products.csv", (list) => `\ufeff${list.replaceAll(/,(tag|a|ß)$/gm, "")}\n\n`);
      rewrite("products.ndjson", (list) => `${list.replaceAll(/,"tag":[^}]*/g, "")}\n\n`);
      await run();
      expect(await there()).toEqual(expected(first));
    }, 60_000);
  });

/** A store of its own, and a folder with a program that is to sync it. */
async function openShop(text: string, command: readonly string[], settings: Record<string, string> = {}) {
  const [token, folder] = [await service.token(), temporaryFolder()];
  const env = {
    ...python().env,
    PATH: [dirname(process.execPath), PATH_WITH_CURL].join(":"),
    PLANTSTORE_URL: proxy.url.origin,
    PLANTSTORE_TOKEN: token,
    // A killed shell leaves its files.
    TMPDIR: temporaryFolder(),
    ...settings,
  };
  writeFileSync(join(folder, "program"), text);
  const start = (more: Record<string, string> = {}) =>
    Bun.spawn([...command, "program"], {
      cwd: folder,
      env: { ...env, ...more },
      stdout: "pipe",
      stderr: "pipe",
      stdin: "ignore",
    });
  const run = async () => {
    const { code, problem } = await outcomeOf(start());
    expect([code, problem]).toEqual([0, ""]);
  };
  const there = async () => {
    const lines = await (await service.send("GET", "/v1/plants/export", { as: token })).text();
    return lines
      .trimEnd()
      .replaceAll(/,"created_at".*/g, "}")
      .split("\n")
      .toSorted();
  };
  return { token, folder, env, start, run, there };
}

const expected = (products: readonly Product[]) => products.map(lineOf).toSorted();

const quoted = (cell: string) => `"${cell.replaceAll('"', '""')}"`;

const FOREIGN_FORMS: readonly {
  readonly line: (product: Product) => string;
  readonly head: string;
  readonly row: (product: Product) => string;
}[] = [
  {
    line: ({ id, name, tag = "" }) => `{"id": ${id}, "name": ${JSON.stringify(name)}, "tag": ${JSON.stringify(tag)}}`,
    head: "id,name,tag\n",
    row: ({ id, name, tag = "" }) => `="${id}",${quoted(name)},${quoted(tag)}`,
  },
  {
    line: ({ id, name, tag = "" }) => `{"name":${JSON.stringify(name)},"tag":${JSON.stringify(tag)},"id":${id}}`,
    head: "sep=,\ntag,name,id\n",
    row: ({ id, name, tag = "" }) => `${quoted(tag)},${quoted(name)},${id}`,
  },
];

function products(from: number, to: number): Product[] {
  return Array.from({ length: to - from }, (_, at) => ({
    id: String(from + at),
    name: `Plant ${from + at}`,
    tag: "a",
  }));
}

function lineOf({ id, name, tag }: Product): string {
  return `{"id":${id},"name":${JSON.stringify(name)}${tag === undefined ? "" : `,"tag":${JSON.stringify(tag)}`}}`;
}

/** The list in both forms that the recipe's programs read. */
function writeLists(folder: string, list: readonly Product[]): void {
  const withTag = (product: Product) =>
    product.tag === undefined ? lineOf(product).replace(/}$/, ',"tag":null}') : lineOf(product);
  writeFileSync(join(folder, "products.ndjson"), list.map((product) => `${withTag(product)}\n`).join(""));
  const cell = (text: string) => (/[",\n]/.test(text) ? quoted(text) : text);
  const rows = list.map(({ id, name, tag = "" }) => `${id},${cell(name)},${cell(tag)}\n`);
  writeFileSync(join(folder, "products.csv"), `id,name,tag\n${rows.join("")}`);
}
