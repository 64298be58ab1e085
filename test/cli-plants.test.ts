import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "./support/eventually.ts";
import { HARD_PLANTS, plantJson } from "./support/hard-plants.ts";
import { type CommandOutcome, outcomeOf } from "./support/process.ts";
import { scriptedService } from "./support/scripted-service.ts";
import { COMMAND, startService, temporaryFolder } from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";
import { openTerminal } from "./support/terminal.ts";

const folder = temporaryFolder();

const service = await startService();
afterAll(() => service.stop());
const token = await service.token();

interface Setting {
  readonly url?: string;
  readonly token?: string;
  readonly input?: string;
}

function environment({ url = service.url, token: given = token }: Setting): Record<string, string> {
  return { PATH: process.env.PATH ?? "", HOME: folder, PLANTSTORE_URL: url, PLANTSTORE_TOKEN: given };
}

/** Runs `plantstore plants …` in the tests' folder. */
function plants(args: string[], setting: Setting = {}): Promise<CommandOutcome> {
  const child = Bun.spawn([COMMAND, "plants", ...args], {
    cwd: folder,
    env: environment(setting),
    stdin: new Blob([setting.input ?? ""]),
    stdout: "pipe",
    stderr: "pipe",
  });
  return outcomeOf(child);
}

/** A new account's token, for a test that lists or counts everything. */
function ownAccount(): Promise<string> {
  return service.token();
}

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

function read(name: string): string {
  return readFileSync(join(folder, name), "utf8");
}

const IN_ORDER = [...HARD_PLANTS].sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1));

/** The digits of the ids, and the texts, of plants in JSON, in their order. */
function exactly(json: string): string[] {
  return [...json.matchAll(/"id":\s*(-?\d+)/g)].map(([, digits = ""]) => digits);
}

function texts(json: string): unknown[] {
  return JSON.parse(json).map(({ name, tag }: { name: string; tag?: string }) => ({ name, tag }));
}

describe("a plant", () => {
  test("is shown on a terminal without what would move its cursor, and whole to a program", async () => {
    await plants(["add", "77", `\u001b[2J${"x".repeat(70)}\n`]);
    const shown = await plants(["get", "77"]);
    expect(shown.out).toMatch(/^77 {2}\\u001b\[2Jx{70}\\n {4}20\d\d-.*Z\n$/);
    const terminal = openTerminal([COMMAND, "plants", "get", "77"], { cwd: folder, env: environment({}) });
    await terminal.process.exited;
    await terminal.shows(/x…/);
    expect(terminal.screen()).toMatch(/^ID {2}NAME .* TAG {2}ADDED\r\n77 {2}\\u001b/);
    terminal.close();
  });
});

describe("a list", () => {
  test("is filtered, searched, ordered, limited or whole, as a table or as JSON", async () => {
    const own = await ownAccount();
    const rows = Array.from({ length: 1200 }, (_, at) => `${at},Fern ${at},${at % 2 ? "odd" : ""}`);
    await plants(["import", "-", "--format", "csv"], { token: own, input: `id,name,tag\n${rows.join("\n")}\n` });
    const list = async (...args: string[]) => plants(["list", ...args], { token: own });
    expect(JSON.parse((await list("--all", "--json")).out)).toHaveLength(1200);
    expect((await list("--all")).out.split("\n")).toHaveLength(1201);
    const first = await list("--json", "--limit", "3");
    expect([exactly(first.out), first.problem]).toEqual([["0", "1", "2"], expect.stringContaining("There are more")]);
    expect((await list()).out.split("\n")).toHaveLength(101);
    expect(exactly((await list("--json", "--tag", "odd", "--limit", "2")).out)).toEqual(["1", "3"]);
    expect(exactly((await list("--json", "--q", "fern 119", "--limit", "20")).out)).toHaveLength(12);
    expect(exactly((await list("--json", "--order=-created_at", "--limit=1")).out)).toHaveLength(1);
  });
});

describe("an import and an export", () => {
  test("bring every hard plant through NDJSON and CSV, files and pipes, exactly", async () => {
    const lines = HARD_PLANTS.map((plant) => `${plantJson(plant)}\n`);
    const [first, second] = [await ownAccount(), await ownAccount()];
    const imported = await plants(["import", file("hard.ndjson", lines.join("")), "--json"], { token: first });
    expect(JSON.parse(imported.out)).toEqual({
      created: HARD_PLANTS.length,
      unchanged: 0,
      failed: 0,
      errors: [],
      refused_file: null,
    });
    const exported = await plants(["export", "hard.csv", "--json"], { token: first });
    // Progress is drawn on a terminal only.
    expect([imported.problem, exported.problem]).toEqual(["", ""]);
    expect(JSON.parse(exported.out)).toEqual({
      plants: HARD_PLANTS.length,
      bytes: Buffer.byteLength(read("hard.csv")),
      file: "hard.csv",
    });
    expect((await plants(["import", "hard.csv"], { token: second })).out).toBe(
      `${HARD_PLANTS.length} created, 0 unchanged, 0 refused\n`,
    );
    const piped = await plants(["export", "--format", "ndjson"], { token: second });
    expect(exactly(piped.out).sort()).toEqual(IN_ORDER.map(({ id }) => id).sort());
    const again = await plants(["import", "-", "--format=ndjson"], { token: second, input: piped.out });
    expect(again.out).toBe(`0 created, ${HARD_PLANTS.length} unchanged, 0 refused\n`);
    const listed = await plants(["list", "--all", "--json"], { token: second });
    expect(exactly(listed.out)).toEqual(IN_ORDER.map(({ id }) => id));
    expect(texts(listed.out)).toEqual(IN_ORDER.map(({ name, tag }) => ({ name, tag })));
  });

  test("Ctrl-C stops an import, says how far it got, and exits as shells expect", async () => {
    const count = Response.json({ created: 100, unchanged: 0, failed: 0, errors: [] });
    using slow = scriptedService(count, () => new Promise<never>(() => {}));
    file("long.ndjson", '{"id":1,"name":"Aloe"}\n'.repeat(300));
    const terminal = openTerminal([COMMAND, "plants", "import", "long.ndjson"], {
      cwd: folder,
      env: environment({ url: slow.url }),
    });
    await terminal.shows(/\[=+ +\] 33 % {2}100 plants {2}[\d,]+\/s {2}\d+ s left/);
    await eventually("the second part is sent", () => slow.requests.length === 2);
    terminal.type("\u0003");
    await terminal.shows("Everything up to line 100 is on disk: 100 created, 0 unchanged, 0 refused. Import");
    expect(await terminal.process.exited).toBe(130);
    await terminal.shows(/stays as it is.*\r\n$/);
    // The progress is erased, and the last line is the message alone, with the cursor below it.
    const [last = "", ...after] = terminal.shown().split("\r\n");
    expect([Bun.stripANSI(last), ...after]).toEqual([
      expect.stringMatching(/\rplantstore: Stopped\. .* stays as it is$/),
      "",
    ]);
    expect(last).toContain("\r\u001b[K");
    expect(last).toEndWith("\u001b[0m");
    terminal.close();
  });

  test("Ctrl-C stops an import that waits for standard input", async () => {
    const terminal = openTerminal([COMMAND, "plants", "import", "-", "--format=ndjson"], {
      cwd: folder,
      env: environment({}),
    });
    await terminal.shows("0 plants");
    terminal.type('{"id":123,"name":"Typed"}\r');
    await terminal.shows("Typed");
    terminal.type("\u0003");
    await terminal.shows("Stopped. No line is sure to be on disk");
    expect(await terminal.process.exited).toBe(130);
    terminal.close();
  });

  test("Ctrl-C stops an export, leaves no file and one of that name as it was, and exits as shells expect", async () => {
    file("kept.ndjson", "as it was");
    const never = new ReadableStream({
      start: (controller) => controller.enqueue(Buffer.from('{"id":1,"name":"Aloe"}\n'.repeat(3))),
    });
    using slow = scriptedService(new Response(never, { headers: { "Content-Type": "application/x-ndjson" } }));
    const terminal = openTerminal([COMMAND, "plants", "export", "kept.ndjson"], {
      cwd: folder,
      env: environment({ url: slow.url }),
    });
    await terminal.shows("3 plants");
    terminal.type("\u0003");
    await terminal.shows("Stopped. Wrote 3 plants; kept.ndjson is left as it was");
    expect(await terminal.process.exited).toBe(130);
    terminal.close();
    expect(read("kept.ndjson")).toBe("as it was");
    expect(existsSync(join(folder, "kept.ndjson.partial"))).toBe(false);
  });
});

test("a command has not failed if its reader has enough before the end", async () => {
  const own = await ownAccount();
  const rows = Array.from({ length: 5000 }, (_, at) => `${at},${"Ficus ".repeat(20)}`);
  await plants(["import", "-", "--format", "csv"], { token: own, input: `id,name\n${rows.join("\n")}\n` });
  const options = { cwd: folder, env: environment({ token: own }), stdout: "pipe", stderr: "pipe" } as const;
  for (const line of ["list --all --json", "list --all", "export --format csv", "export --help"]) {
    const child = Bun.spawn([COMMAND, "plants", ...line.split(" ")], options);
    await child.stdout.cancel();
    expect([line, await child.exited, await new Response(child.stderr).text()]).toEqual([line, 0, ""]);
  }
});

const NO_FULL_DEVICE = existsSync("/dev/full") ? undefined : "there is no /dev/full";

testUnless(NO_FULL_DEVICE, "an output that cannot be written is told in one line, and ends the command", async () => {
  const own = await ownAccount();
  await plants(["add", "1", "Aloe"], { token: own });
  const [stdout, env] = [Bun.file("/dev/full"), environment({ token: own })];
  for (const command of ["list", "export -"]) {
    const child = Bun.spawn([COMMAND, "plants", ...command.split(" ")], { cwd: folder, env, stdout, stderr: "pipe" });
    const problem = expect.stringMatching(/^plantstore: Cannot write to standard output: [^\n]+\n$/);
    expect([command, await child.exited, await new Response(child.stderr).text()]).toEqual([command, 1, problem]);
  }
});

test("`plants restore` takes the ids from standard input, one a line", async () => {
  const own = { token: await ownAccount() };
  for (const id of ["1", "2"]) {
    await plants(["add", id, "Aloe"], own);
    await plants(["remove", id], own);
  }
  const { code, out } = await plants(["restore"], { ...own, input: "1\n\n 2\n" });
  expect([code, out]).toEqual([0, "1  Aloe\n2  Aloe\n"]);
});
