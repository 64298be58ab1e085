import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { generateX25519Identity, identityToRecipient } from "age-encryption";
import { releaseInfo } from "#server/process/release.ts";
import { ownUserName } from "#server/process/user-name.ts";
import { buildStandalone } from "../scripts/standalone.ts";
import { Collector } from "./support/collector.ts";
import { eventually } from "./support/eventually.ts";
import { expectCertificateFetched } from "./support/fetched-certificate.ts";
import { expectFilesUnread } from "./support/foreign-folder.ts";
import { emulateImage } from "./support/image.ts";
import { outcomeOf } from "./support/process.ts";
import { type RunningProgram, runProgram, startProgram, withoutRepository } from "./support/program.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";
import { everyPlant } from "./support/single-creates.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";
import { onDatabase } from "./support/test-account.ts";
import { PASSWORD, TestBrowser } from "./support/test-browser.ts";
import { WebhookReceiver } from "./support/webhook-receiver.ts";

const folder = temporaryFolder();
const home = join(folder, "home");
const email = "grower@example.test";
mkdirSync(home);
const { TEST_PROGRAM } = process.env;
// A run of all tests has built it already.
const program = TEST_PROGRAM ? realpathSync(TEST_PROGRAM) : await buildStandalone(undefined, join(folder, "first"));
/** Runs it out of reach of the repository. */
const alone = withoutRepository(program);

test("--version --json tells the release, the commit and the runtime", async () => {
  const info = JSON.parse(await runProgram([...alone, "--version", "--json"], folder));
  expect(info).toMatchObject({ version: "1.0.0", runtime: `bun ${Bun.version}`, os: process.platform });
  expect(info.commit.replace("-dirty", "")).toBe(releaseInfo().commit ?? "unknown");
});

test("the program in one file obeys no .env, bunfig.toml or tsconfig.json of the folder it is in", () =>
  expectFilesUnread(alone));

test("with DOMAIN it fetches a certificate and serves with it", () =>
  expectCertificateFetched(alone, temporaryFolder()));

testUnless(
  process.getuid?.() === 0 ? missingProgram("setpriv") : "only root can run a command as another user",
  "a command of root on another user's database runs as that user, with the settings and the identity that root alone reads",
  async () => {
    const nobody = { uid: 65534, gid: 65534 };
    const [open, secret] = [temporaryFolder(), temporaryFolder()];
    const [data, backups] = [join(open, "data"), join(open, "backups")];
    const own = join(open, "plantstore");
    copyFileSync(program, own);
    for (const path of [open, own]) chmodSync(path, 0o755);
    const DATABASE_URL = `sqlite:${join(data, "plantstore.db")}`;
    await onDatabase({ DATABASE_URL }, async () => {});
    mkdirSync(backups);
    for (const path of [data, backups, ...readdirSync(data).map((name) => join(data, name))])
      chownSync(path, nobody.uid, nobody.gid);
    const identity = await generateX25519Identity();
    const settings = {
      DATABASE_URL,
      BACKUP_TO: backups,
      BACKUP_RECIPIENTS: await identityToRecipient(identity),
      BACKUP_IDENTITY: join(secret, "identity.txt"),
    };
    writeFileSync(settings.BACKUP_IDENTITY, identity, { mode: 0o600 });
    const file = join(secret, "plantstore.env");
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(file, lines.join(""), { mode: 0o600 });
    const runWith = (PATH: string, ...args: string[]) => {
      const options = { cwd: secret, env: { PATH }, stdout: "pipe", stderr: "pipe" } as const;
      return outcomeOf(Bun.spawn([own, ...args, "--env-file", file], options));
    };
    const run = (...args: string[]) => runWith(process.env.PATH ?? "", ...args);
    expect(await run("account", "create", "--email", email)).toMatchObject({ code: 0, problem: "" });
    const log = await run("audit", "list", "--account", email, "--json");
    const [made] = JSON.parse(log.out);
    expect([made.action, made.actor]).toEqual(["store.created", { kind: "operator", id: "", name: ownUserName() }]);
    expect(await run("backup", "create")).toMatchObject({ code: 0, problem: "" });
    expect(await run("backup", "verify", "latest")).toMatchObject({ code: 0, problem: "" });
    const exported = join(secret, "exported");
    expect(await run("account", "export", "--email", email, "--to", exported)).toMatchObject({ code: 0, problem: "" });
    expect(readdirSync(exported)).toContain("person.json");
    const closed = await run("backup", "restore", "latest", "--into", `sqlite:${secret}/copy.db`);
    const who = `is not open to the user nobody, as whom ${ownUserName()} runs this command\n`;
    expect([closed.code, closed.problem]).toEqual([1, expect.stringContaining(who)]);
    const kept = [data, backups].flatMap((folder) => readdirSync(folder).map((name) => statSync(join(folder, name))));
    expect(kept.length).toBeGreaterThanOrEqual(3);
    expect(new Set(kept.map(({ uid }) => uid))).toEqual(new Set([nobody.uid]));
    const refused = await runWith(secret, "account", "list");
    expect([refused.code, refused.problem]).toEqual([
      1,
      expect.stringMatching(/belongs to the user nobody, and this command was run as root, .*: run it as nobody\n$/),
    ]);
  },
);

describe("the program in one file, in an empty folder", () => {
  let running: RunningProgram;
  let token: string;
  const collector = new Collector();
  const receiver = new WebhookReceiver();
  const run = (args: string[], input?: string) => runProgram([...alone, ...args], home, { input });

  beforeAll(async () => {
    running = await startProgram(alone, home, {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_TRACES_SAMPLER_ARG: "0",
      WEBHOOK_NETWORKS: "127.0.0.0/8",
    });
    await run(["account", "create", "--email", email, "--password-stdin"], PASSWORD);
    const scopes = ["plants:read", "plants:write", "webhooks:manage"].flatMap((scope) => ["--scope", scope]);
    token = (await run(["token", "create", "--account", email, "--name", "test", ...scopes])).trim();
  });
  afterAll(async () => {
    await receiver.stop();
    await collector.stop();
  });

  const ask = (method: string, path: string, body?: string, headers: Record<string, string> = {}) =>
    fetch(running.url + path, { method, body, headers: { Authorization: `Bearer ${token}`, ...headers } });

  test("creates, searches, imports and exports", async () => {
    expect((await ask("POST", "/v1/plants", '{"id":1,"name":"Monstera deliciosa"}')).status).toBe(200);
    const rows = Array.from({ length: 3000 }, (_, index) => `{"id":${-1 - index},"name":"Ficus ${index}"}`);
    const type = { "Content-Type": "application/x-ndjson" };
    const imported = await ask("POST", "/v1/plants/import", rows.join("\n"), type);
    expect(await imported.json()).toMatchObject({ created: 3000, failed: 0 });
    const found = await (await ask("GET", "/v1/plants?q=DELICIOSA")).json();
    expect(found).toMatchObject({ data: [{ id: 1, name: "Monstera deliciosa" }] });
    expect((await everyPlant(running.url, token)).size).toBe(3001);
  });

  test("signs people in, and has the pages, the published document and its reference inside", async () => {
    const browser = new TestBrowser(running);
    expect((await browser.signIn(email, PASSWORD)).status).toBe(200);
    expect(await browser.signedIn()).toBe(true);
    for (const path of ["/dashboard", "/docs"]) {
      const page = await (await fetch(running.url + path)).text();
      const scripts = [...page.matchAll(/<script[^>]* src="([^"]+)"/g)].map(([, source = ""]) => source);
      expect(scripts).not.toEqual([]);
      for (const source of scripts) expect((await fetch(new URL(source, running.url + path))).status).toBe(200);
    }
    expect((await fetch(`${running.url}/openapi.yaml`)).status).toBe(200);
    expect(await (await fetch(`${running.url}/downloads/SHA256SUMS`)).text()).toContain("plantstore-cli-");
  });

  test("copies its write-ahead log into the database: the thread that does it is inside", async () => {
    const file = join(home, "data/plantstore.db");
    // More than the 256 commits and the 4 MiB that the thread waits for.
    for (let id = 10_000; id < 10_300; id++)
      await ask("POST", "/v1/plants", `{"id":${id},"name":"${"n".repeat(20_000)}"}`);
    await eventually("the database file has grown", () => statSync(file).size > 4 * 1024 * 1024);
  });

  test("sends spans of a create, its transaction and its delivery to a collector", async () => {
    await ask("POST", "/v1/webhooks", JSON.stringify({ url: receiver.url }));
    const headers = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01" };
    await ask("POST", "/v1/plants", '{"id":-5000,"name":"Fern"}', headers);
    await collector.has("POST create", "commit batch", "POST webhook");
  });

  test("makes and verifies a backup", async () => {
    const name = (await run(["backup", "create", "--to", "backups"])).trim();
    expect(await run(["backup", "verify", name, "--from", "backups"])).toContain("verified");
  });

  test("has logged no error by then, nor in its stop", async () => {
    expect(await running.stop()).toBe(0);
    expect(running.output()).not.toContain('"level":"error"');
  });
});

test("the image's settings serve, healthy, as its user on a read-only root without a shell (chroot, no container engine)", async () => {
  const image = emulateImage(program, join(folder, "image"));
  if (typeof image === "string") return console.warn(`Not tested here: the image cannot be emulated (${image})`);
  const { command, settings } = image;
  const running = await startProgram(command, folder, settings);
  const { port } = new URL(running.url);
  const health = await runProgram([...command, "health", "--json"], folder, { settings: { ...settings, PORT: port } });
  expect(JSON.parse(health)).toMatchObject({ ready: true });
  expect((await fetch(`${running.url}/dashboard`)).status).toBe(200);
  const { uid, mode } = statSync(join(folder, "image/data/plantstore.db"));
  expect({ uid, mode: mode & 0o777 }).toEqual({ uid: 65532, mode: 0o600 });
  expect(await running.stop()).toBe(0);
  const ended = runProgram([...command, "health"], folder, { settings: { ...settings, PORT: port } });
  await expect(ended).rejects.toThrow("exited with 1");
});

testUnless(
  missingProgram("systemd-analyze"),
  "the unit for systemd is one that systemd accepts, and that leaves the service little (at most 2.5 of 10)",
  () => {
    const unit = join(ROOT, "deploy/plantstore.service");
    const judged = Bun.spawnSync(["systemd-analyze", "security", "--offline=true", "--threshold=25", unit]);
    expect({ exitCode: judged.exitCode, problem: judged.stderr.toString() }).toEqual({ exitCode: 0, problem: "" });
  },
);
