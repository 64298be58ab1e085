import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "#test/support/free-port.ts";
import { runInProcess } from "#test/support/run-in-process.ts";
import { temporaryFolder } from "#test/support/service.ts";

const folder = temporaryFolder();
const UNUSED = {
  DATABASE_URL: `sqlite:${join(folder, "unused.db")}`,
  PLANTSTORE_URL: "http://127.0.0.1:1",
  PLANTSTORE_TOKEN: "t",
};
/** Characters that a terminal would obey. */
const OBEYED = /(?!\n)[\p{Cc}\p{Bidi_Control}]/u;

describe("a line that makes no sense exits with 2, says what would be right, and does nothing:", () => {
  test.each([
    ["water", "unknown command"],
    ["account", "Usage: plantstore account"],
    ["account create", "--email"],
    ["account second-factor --email a@example.test", "--off"],
    ["audit list --account a@example.test --limit 1e3", "--limit must be a whole number from 1 to 10000"],
    ["backup restore latest --into somewhere", "--into must be sqlite:PATH"],
    ["backup restore latest", "--into"],
    ["backup verify", "name"],
    ["completion tcsh", "bash, zsh, fish"],
    ["events list --limit 0", "--limit must be a whole number from 1 to 1000"],
    ["events list --type plant.eaten", "plant.created, plant.changed, plant.removed"],
    ["health --wait soon", '--wait must be a whole number from 0 to 99999, and is "soon"'],
    ["listen --forward-to https://shop.example.com/", "must be an address on this machine"],
    ["move --from sqlite:a.db", "--to"],
    ["plants list --limit 1.5", "--limit must be a whole number of at least 1"],
    ["plants edit 5", "--name, --tag or --no-tag"],
    ["plants get", "Give an id, as in 42"],
    ["plants get --id=", "The id must be an integer from"],
    ["plants history 1 --id=1", "Give the id once"],
    ["plants get 1 --token=", "Give an access token: PLANTSTORE_TOKEN"],
    ["plants get 1 --url ftp://plants.example.com", "http or https address"],
    ["plants get 1 --url https://grower:geheim@plants.example.com", "no user, password"],
    ["plants export all.xlsx", "--format ndjson or --format csv"],
    ["requests get req_1", "--account"],
    ["requests list --account a@b.test --status 6xx", "--status must be a status such as 409, a class such as 4xx"],
    ["requests list --account a@b.test --error 4e4", "--error must be a whole number from 0 to 99999"],
    ["requests list --account a@b.test --limit 201", '--limit must be a whole number from 1 to 200, and is "201"'],
    ["token create --account a@example.test", "--name"],
    ["token create --account a@example.test --name x --scope plants:burn", "plants:read"],
    ["token create --account a@example.test --name x --expires tomorrow", "90s, 30m, 24h, 7d or 2w"],
    ["token revoke", "id"],
    ["webhooks add", "address"],
    ["webhooks add https://shop.example.com/ --delivery daily", "each, notice"],
    ["webhooks edit we_1", "Say what to change: --address"],
    ["webhooks edit we_1 --enable --disable", "cannot be used with"],
    ["webhooks edit we_1 --resume now", "--resume says where --enable goes on"],
    ["webhooks edit we_1 --disable --resume now", "--resume says where --enable goes on"],
    ["webhooks replay we_1", "Say which events: --from or --event"],
    ["webhooks replay we_1 --failed", "Say which events: --from or --event"],
    ["webhooks replay we_1 --event evt_1 --from c", "cannot be used with"],
    ["webhooks replay we_1 --event evt_1 --failed", "cannot be used with"],
    ["webhooks deliveries we_1 --limit many", '--limit must be a whole number from 1 to 1000, and is "many"'],
    ["webhooks deliveries we_1 --status lost", "succeeded, failed, waiting"],
    ["webhooks deliveries we_1 --type plant.eaten", "plant.created, plant.changed, plant.removed, events.available"],
    ["webhooks roll we_1 --overlap 8d", "--overlap must be 0, or a time such as 90s, 30m, 24h, 7d or 2w, of at most 7"],
    ["webhooks test we_1 plant.eaten", "plant.created, plant.changed, plant.removed"],
  ])("%s", async (line, said) => {
    const { code, out, problem } = await runInProcess(line.split(" "), UNUSED);
    expect([code, out]).toEqual([2, ""]);
    expect(problem).toContain(said);
    expect(problem).not.toContain("    at ");
    // Commander has printed its own errors: they are not reported once more.
    expect(problem.match(/^(?:plantstore|error|Usage): /gm)).toHaveLength(1);
    expect(await Bun.file(join(folder, "unused.db")).exists()).toBe(false);
  });
});

describe("what was typed is repeated without what a terminal would obey:", () => {
  const HOSTILE = "x\u001b[2J\u0007\u202e\u009b";

  test.each([
    [[HOSTILE]],
    [["plants", `--${HOSTILE}`]],
    [["plants", "get", HOSTILE]],
    [["plants", "import", `${HOSTILE}.csv`]],
    [["plants", "import", HOSTILE]],
    [["plants", "add", "1", "Aloe", "green", HOSTILE]],
    [["plants", "list", "--limit", HOSTILE]],
    [["plants", "list", "--order", HOSTILE]],
    [["events", "list", "--type", HOSTILE]],
    [["health", "--wait", HOSTILE]],
    [["backup", "restore", "latest", "--into", HOSTILE]],
    [["completion", HOSTILE]],
    [["token", "create", "--account", "a@example.test", "--name", "x", "--expires", HOSTILE]],
  ])("%j", async (args) => {
    const { code, out, problem } = await runInProcess(args, UNUSED);
    expect([code > 0, out]).toEqual([true, ""]);
    expect(problem).toContain("x\\u001b[2J\\u0007\\u202e\\u009b");
    expect(problem).not.toMatch(OBEYED);
  });
});

describe("a database that cannot be used is one line, which repeats no password:", () => {
  mkdirSync(join(folder, "a-folder.db"));
  test.each([
    ["mysql://root:geheim@localhost/plants", 2, "DATABASE_URL must be sqlite:PATH or postgres://"],
    ["geheim", 2, "DATABASE_URL must be sqlite:PATH or postgres://"],
    ["postgres://plantstore:geheim@127.0.0.1:1/plants", 1, "The database cannot be used: "],
    [`sqlite:${join(folder, "a-folder.db")}`, 1, "DATABASE_URL sqlite:"],
  ])("%s", async (url, exitCode, said) => {
    for (const args of [
      ["account", "list"],
      ["token", "list", "--account", "a@example.test"],
    ]) {
      const { code, out, problem } = await runInProcess(args, { DATABASE_URL: url });
      expect([code, out]).toEqual([exitCode, ""]);
      expect(problem).toMatch(/^plantstore: [^\n]*\n$/);
      expect(problem).toContain(said);
      if (url.includes("@")) expect(problem).not.toContain("geheim");
    }
  });

  test.each([
    [["--from", "mysql://root:geheim@db/x", "--to", "sqlite:x.db"], "--from must be sqlite:PATH or postgres://"],
    [["--from", "sqlite:x.db", "--to", "mysql://root:geheim@db/x"], "--to must be sqlite:PATH or postgres://"],
  ])("as an address of `move`: %j", async (args, said) => {
    const { code, out, problem } = await runInProcess(["move", ...args]);
    expect([code, out, problem]).toEqual([2, "", expect.stringContaining(said)]);
    expect(problem).not.toContain("geheim");
  });
});

describe("no secret is repeated, whichever setting or argument it came from:", () => {
  const IDENTITY = "AGE-SECRET-KEY-1QYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQS4EJPVX";
  const TOKEN = `plant_${"geheim".repeat(6)}`;
  test.each<[string[], Record<string, string>]>([
    [["account", "list"], { BACKUP_RECIPIENTS: IDENTITY }],
    [["account", "list"], { BACKUP_RECIPIENTS: IDENTITY.toLowerCase() }],
    [["account", "list"], { PORT: IDENTITY }],
    [["account", "list"], { METRICS_TOKEN: "geheim" }],
    [["account", "list"], { S3_ENDPOINT: "root:geheim@s3.example.com" }],
    [["account", "list"], { DATABASE_URL: "postgres://root:1#geheim@db.example.com/plants" }],
    [["account", "list"], { DATABASE_URL: "postgres://127.0.0.1:1/plants?user=root&password=geheim" }],
    [["restart"], { DATABASE_URL: "postgres://root:geheim@db.example.com/plants" }],
    [["backup", "verify", "latest", "--from", folder, "--identity", IDENTITY], {}],
    [["backup", "create", "--to", "s3://root:geheim@bucket/plants"], {}],
    [["backup", IDENTITY], {}],
    [["move", "--from", "postgres://root:geheim@127.0.0.1:1/plants", "--to", "sqlite:x.db"], {}],
    [["plants", "get", TOKEN], {}],
    [["plants", "list", TOKEN], {}],
    [["plants", "list", `--tokn=${TOKEN}`], {}],
    [["plants", "import", TOKEN, "--format", "csv"], {}],
    [["plants", "list", "--url", "http://root:geheim@127.0.0.1:1"], {}],
    [["plants", "list", "--url", "https://plants.example.com?token=geheim"], {}],
    [["plants", "list"], { PLANTSTORE_TOKEN: "geheim of somebody\n" }],
  ])("%j with %j", async (args, settings) => {
    for (const more of [[], ["--json"]]) {
      const { code, out, problem } = await runInProcess([...args, ...more], { ...UNUSED, ...settings });
      expect([code > 0, out]).toEqual([true, ""]);
      expect(problem).not.toMatch(/geheim|qyqszqgpqyq/i);
    }
  });
});

const website = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response("<html>", { headers: { "Content-Type": "text/html" } }),
});
afterAll(() => website.stop(true));

describe("with --json a failure is one value on standard error, and nothing is on standard output:", () => {
  test.each<[string, unknown]>([
    ["plants get 5.5", { error: 2, message: expect.stringContaining('and is "5.5"') }],
    ["plants get --nonsense", { error: 2, message: "unknown option '--nonsense'" }],
    [`plants get 5 --url ${website.url.origin}`, { error: 1, message: expect.stringMatching(/no Plantstore does/) }],
    ["plants import none.csv", { error: 1, message: "none.csv does not exist" }],
    ["water", { error: 2, message: expect.stringContaining("unknown command 'water'") }],
    ["token create --account a@example.test", { error: 2, message: expect.stringContaining("--name") }],
    ["token list --account a@example.test", { error: 2, message: expect.stringContaining("There is no database") }],
    ["restart", { error: 1, message: expect.stringContaining("serve --take-over") }],
  ])("%s", async (line, failure) => {
    const settings = { ...UNUSED, DATABASE_URL: `sqlite:${join(folder, "used.db")}` };
    const { code, out, problem } = await runInProcess([...line.split(" "), "--json"], settings);
    expect([code, out, JSON.parse(problem)]).toEqual([(failure as { error: number }).error, "", failure]);
  });
});

test.each([
  [
    [],
    /^Cannot reach http:\/\/127.0.0.1:\d+: the connection is refused; trying again until (.+)\nplantstore: There is no plant/,
  ],
  [["--json"], /^{"error":40403,"message":"There is no plant with this id"}\n$/],
])(
  "a service that is not there is waited for, which is said after two seconds to a person: %p",
  async (options, said) => {
    const port = freePort();
    const PLANTSTORE_URL = `http://127.0.0.1:${port}`;
    const began = performance.now();
    const getting = runInProcess(["plants", "get", "5", ...options], { ...UNUSED, PLANTSTORE_URL });
    await Bun.sleep(2500);
    using server = Bun.serve({
      port,
      hostname: "127.0.0.1",
      fetch: () => Response.json({ error: 40403, message: "There is no plant with this id" }, { status: 404 }),
    });
    const { code, problem } = await getting;
    expect([code, server.port, performance.now() - began > 2500]).toEqual([1, port, true]);
    expect(problem).toMatch(said);
    const [, until] = said.exec(problem) ?? [];
    if (until !== undefined) expect(Date.parse(until) - Date.now()).toBeWithin(50_000, 60_000);
  },
);

test("health waits as long as it is told, in the grammar of durations", async () => {
  const began = performance.now();
  expect(await runInProcess(["health", "--wait", "1s"], { ...UNUSED, PORT: "1" })).toMatchObject({ code: 1, out: "" });
  expect(performance.now() - began).toBeGreaterThanOrEqual(1000);
});

test("a wrong setting of any kind is wrong usage of an operator's command, and named", async () => {
  const { code, problem } = await runInProcess(["account", "list"], { ...UNUSED, LOG_LEVEL: "loud" });
  expect([code, problem]).toEqual([2, expect.stringMatching(/^plantstore: LOG_LEVEL must be [^\n]*\n$/)]);
});

test("a server that is not there is told by `health` with 1, and where it was looked for", async () => {
  const settings = { ...UNUSED, HOST: "127.0.0.1", PORT: "1" };
  const { code, out, problem } = await runInProcess(["health", "--json"], settings);
  const message = expect.stringMatching(/^http:\/\/127\.0\.0\.1:1\/readyz is not ready: /);
  expect([code, out, JSON.parse(problem)]).toEqual([1, "", { error: 1, message }]);
});

test("every command answers --help with 0 on standard output, and says nothing on standard error", async () => {
  for (const line of [
    "",
    "plants",
    "plants add",
    "webhooks replay",
    "account passkeys remove",
    "backup restore",
    "serve",
  ]) {
    const { code, out, problem } = await runInProcess([...line.split(" ").filter(Boolean), "--help"], UNUSED);
    expect([line, code, problem]).toEqual([line, 0, ""]);
    expect(out).toContain(`Usage: plantstore${line && ` ${line}`}`);
    expect(await runInProcess(["help", ...line.split(" ").filter(Boolean)])).toEqual({ code, out, problem });
  }
});

test("help for a command that there is not exits with 2, and runs none", async () => {
  for (const line of ["water", "plants water", "plants remove 42"]) {
    const { code, out, problem } = await runInProcess(["help", ...line.split(" ")], UNUSED);
    expect([code, out, problem]).toEqual([2, "", expect.stringContaining("unknown command")]);
  }
});
