import { beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { refusedWith, scriptedService } from "#test/support/scripted-service.ts";
import { withServedApp } from "#test/support/served-app.ts";
import { temporaryFolder } from "#test/support/service.ts";

const service = withServedApp();
let folder: string;
beforeEach(() => {
  folder = temporaryFolder();
});

const plants = (...args: string[]) => service.run("plants", ...args);
const path = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(path(name), "utf8");
function file(name: string, text: string): string {
  writeFileSync(path(name), text);
  return path(name);
}

describe("an export", () => {
  beforeEach(async () => {
    await plants("add", "1", 'two\nlines, and a "quote"');
    await plants("add", "2", "Aloe");
  });

  test("counts plants and not lines, and takes its format from the file's name", async () => {
    const { code, out } = await plants("export", path("all.csv"));
    expect([code, out]).toEqual([0, `${path("all.csv")} holds 2 plants\n`]);
    expect(read("all.csv")).toStartWith('id,name,tag,created_at,updated_at\r\n1,"two\nlines, and a ""quote""",');
    expect(readdirSync(folder)).toEqual(["all.csv"]);
  });

  test("goes to standard output as NDJSON, and says nothing else there", async () => {
    const { out, problem } = await plants("export");
    const lines = out.trim().split("\n");
    expect([lines.map((line) => JSON.parse(line).id), problem]).toEqual([[1, 2], ""]);
  });

  test("that breaks off leaves the file of that name as it was, and no half of one beside it", async () => {
    const before = file("all.ndjson", "yesterday's");
    // A refusal that came before its file was open would leave that behind: these occupy the threads that open files.
    const busy = Array.from({ length: 16 }, () => Bun.password.hash("x", { algorithm: "bcrypt", cost: 7 }));
    let isOpen = false;
    using refusing = scriptedService(() => {
      isOpen = existsSync(path("all.ndjson.partial"));
      return refusedWith(40102);
    });
    const { code } = await plants("export", before, "--url", refusing.url);
    expect([code, isOpen, read("all.ndjson"), readdirSync(folder)]).toEqual([1, true, "yesterday's", ["all.ndjson"]]);
    await Promise.all(busy);
  });

  test("follows a link, which stays one, and a private file stays private", async () => {
    chmodSync(file("private.csv", "yesterday's"), 0o600);
    symlinkSync(path("private.csv"), path("link.csv"));
    expect((await plants("export", path("link.csv"))).code).toBe(0);
    expect(lstatSync(path("link.csv")).isSymbolicLink()).toBe(true);
    expect(read("private.csv")).toContain("2,Aloe");
    expect(statSync(path("private.csv")).mode & 0o777).toBe(0o600);
  });

  test("writes into a pipe or a device, and never puts a file in its place", async () => {
    Bun.spawnSync(["mkfifo", path("pipe")]);
    const reader = Bun.spawn(["cat", path("pipe")], { stdout: "pipe" });
    expect((await plants("export", path("pipe"), "--format", "ndjson")).code).toBe(0);
    expect((await new Response(reader.stdout).text()).trim().split("\n")).toHaveLength(2);
    expect(statSync(path("pipe")).isFIFO()).toBe(true);
    expect(readdirSync(folder)).toEqual(["pipe"]);
  });

  test.each([
    ["a folder", () => folder, "is a folder; name a file in it"],
    ["a missing folder", () => path("missing/all.csv"), "There is no folder"],
  ])("into %s fails with one line", async (_, target, said) => {
    const { code, out, problem } = await plants("export", target(), "--format", "csv");
    expect([code, out]).toEqual([1, ""]);
    expect(problem).toMatch(/^plantstore: [^\n]*\n$/);
    expect(problem).toContain(said);
  });
});

describe("an import", () => {
  test("shows the first ten refused records without what a terminal would obey, counts the rest, and fails", async () => {
    const source = file("bad.ndjson", '{"id":"\u001b[2J","name":"x"}\n'.repeat(12));
    const { code, out, problem } = await plants("import", source);
    expect([code, out]).toEqual([1, "0 created, 0 unchanged, 12 refused\n"]);
    expect(problem.split("\n").filter((line) => line.startsWith("line "))).toHaveLength(10);
    expect(problem).toContain("… and 2 more\n");
    expect(problem).toContain(`The refused lines stand in ${path("bad.refused.ndjson")}`);
    expect(problem).not.toContain("\u001b");
    expect(read("bad.refused.ndjson").trim().split("\n")).toHaveLength(12);
  });

  test("never writes refused lines over its own input, by whatever name or link", async () => {
    const source = file("bad.ndjson", "nonsense\n");
    symlinkSync(source, path("link"));
    linkSync(source, path("hard"));
    mkdirSync(path("sub"));
    for (const other of [source, path("link"), path("hard"), path("sub/../bad.ndjson")]) {
      const { code, problem } = await plants("import", source, "--refused", other);
      expect([code, problem]).toEqual([2, "plantstore: --refused would overwrite what is imported\n"]);
      expect(read("bad.ndjson")).toBe("nonsense\n");
    }
  });

  test("says that a folder is one, and that a file is missing, before the service is asked", async () => {
    using service = scriptedService();
    const folderRefused = await plants("import", folder, "--format", "csv", "--url", service.url);
    expect([folderRefused.code, folderRefused.problem]).toEqual([
      1,
      `plantstore: ${folder} is a folder; name a file in it\n`,
    ]);
    const missing = await plants("import", path("none.csv"), "--url", service.url);
    expect([missing.code, missing.problem]).toEqual([1, expect.stringContaining(path("none.csv"))]);
    expect(service.requests).toHaveLength(0);
    expect(existsSync(path("none.refused.csv"))).toBe(false);
  });

  test("that the service refuses in the middle says up to which line everything is on disk, and how to go on", async () => {
    const count = Response.json({ created: 100, unchanged: 0, failed: 0, errors: [] });
    using breaking = scriptedService(count, refusedWith(40102));
    const source = file("long.ndjson", '{"id":1,"name":"Aloe"}\n'.repeat(101));
    const { code, problem } = await plants("import", source, "--url", breaking.url, "--json");
    const { error, message } = JSON.parse(problem);
    expect([code, error]).toEqual([1, 40102]);
    expect(message).toContain("Refused with 40102\nBroken off. Everything up to line 100 is on disk");
    expect(message).toContain("Import the file again to go on");
  });
});

describe("a file of changes", () => {
  test("is tried without writing, and then updates what is there; a file of ids removes it", async () => {
    await plants("add", "1", "Aloe", "green");
    await plants("add", "2", "Moss");
    const prices = file("prices.csv", "id,tag\n1,red\n2,\n");
    const tried = await plants("import", prices, "--existing", "update", "--dry-run");
    expect([tried.code, tried.out]).toEqual([
      0,
      "It would be: 0 created, 1 updated, 1 unchanged, 0 refused. Nothing was written\n",
    ]);
    expect(await service.json("plants", "get", "1")).toMatchObject({ tag: "green" });
    const done = await plants("import", prices, "--existing", "update");
    expect(done.out).toBe("0 created, 1 updated, 1 unchanged, 0 refused\n");
    expect(await service.json("plants", "get", "1")).toMatchObject({ tag: "red" });
    const refused = await plants("import", file("new.csv", "id,name\n1,Ivy\nx,Ivy\n"), "--dry-run", "--json");
    expect([refused.code, JSON.parse(refused.out)]).toEqual([
      1,
      expect.objectContaining({ created: 0, unchanged: 0, failed: 2, dry_run: true }),
    ]);
    for (const [name, text] of [
      ["gone.txt", "1\n\n7\n"],
      ["gone.csv", "name,id\nMoss,2\n"],
    ] as const) {
      const gone = file(name, text);
      const before = (await plants("list")).out;
      expect((await plants("remove", "--from", gone, "--dry-run")).out).toStartWith("It would be: 1 removed, ");
      expect((await plants("list")).out).toBe(before);
      expect((await plants("remove", "--from", gone)).out).toStartWith("1 removed, ");
    }
    const malformed = await plants("remove", "--from", file("bad.ndjson", "3\n{}\n"));
    expect([malformed.code, malformed.out]).toEqual([1, "0 removed, 1 not there, 1 refused\n"]);
    expect(malformed.problem).toContain("line 2: Cannot remove the plant");
  });
});
