import { afterAll, expect, test } from "bun:test";
import { readFileSync, realpathSync } from "node:fs";
import { join } from "node:path";
import { buildStandalone } from "../scripts/standalone.ts";
import { Collector } from "./support/collector.ts";
import { eventually } from "./support/eventually.ts";
import { expectCertificateFetched } from "./support/fetched-certificate.ts";
import { expectFilesUnread } from "./support/foreign-folder.ts";
import { installAndStart } from "./support/installed-package.ts";
import { endedChildrenSeconds } from "./support/process.ts";
import { runProgram, startProgram } from "./support/program.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";
import { everyPlant } from "./support/single-creates.ts";
import { PASSWORD, TestBrowser } from "./support/test-browser.ts";

const collector = new Collector();
const folder = temporaryFolder();
const home = join(folder, "home");
const release = join(folder, "release");
const archive = join(release, "plantstore-server-1.0.0.tgz");
const program = `plantstore-${process.platform}-${process.arch}`;
const email = "grower@example.test";

await runProgram([join(ROOT, "scripts/release"), "--to", release, program.replace("plantstore-", "")], folder);
const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_TRACES_SAMPLER_ARG: "1" };
const secondsBefore = endedChildrenSeconds();
const { command, running } = await installAndStart(archive, home, traced);
const installSeconds = endedChildrenSeconds() - secondsBefore;
afterAll(async () => {
  await running.stop();
  await collector.stop();
});

test("a release holds the program, the package, the bill of materials and the notes; the same sources give the same files", async () => {
  const { TEST_PROGRAM } = process.env;
  // A run of all tests has built it once before.
  const before = TEST_PROGRAM ? realpathSync(TEST_PROGRAM) : await buildStandalone(undefined, join(folder, "before"));
  const sums = readFileSync(join(release, "SHA256SUMS"), "utf8");
  const sum = new Bun.CryptoHasher("sha256").update(readFileSync(before)).digest("hex");
  expect(sums).toContain(`${sum}  ${program}\n`);
  const files = sums
    .trim()
    .split("\n")
    .map((line) => line.slice(66));
  expect(files).toEqual(
    ["NOTES.md", "plantstore-client-1.0.0.tgz", "plantstore-server-1.0.0.tgz", program, "sbom.cyclonedx.json"].sort(),
  );
  expect(await runProgram(["sha256sum", "--check", "--quiet", "SHA256SUMS"], release)).toBe("");
  const { bomFormat, components } = await Bun.file(join(release, "sbom.cyclonedx.json")).json();
  expect(bomFormat).toBe("CycloneDX");
  // The service runs on the one; the pages are built of the other.
  expect(components.map(({ name }: { name: string }) => name)).toEqual(expect.arrayContaining(["hono", "react"]));
});

test("the archive holds the program, its pages and its texts, and nothing else", async () => {
  const listed = await runProgram(["tar", "-tzf", archive], folder);
  const rest = listed
    .trim()
    .split("\n")
    .filter(
      (path) =>
        !/^package\/lib\/(?:[\w.-]+\.js|[\w-]+-[0-9a-z]{8}\.txt|dashboard\/(?:downloads\/)?[\w.-]+)$/.test(path),
    );
  expect(rest.sort()).toEqual([
    "package/CHANGELOG.md",
    "package/LICENSE",
    "package/README.md",
    "package/bin/plantstore.mjs",
    "package/lib/checkpoint-worker.ts",
    "package/lib/delivery-worker.ts",
    "package/lib/mcp-worker.ts",
    "package/lib/reading-worker.ts",
    "package/lib/request-log-worker.ts",
    "package/lib/snapshot-worker.ts",
    "package/lib/writing-worker.ts",
    "package/package.json",
  ]);
  expect(listed).toContain("package/lib/dashboard/manifest.json");
});

test("the package needs the runtime alone, and no install script, and is installed within 15 s of processor time", async () => {
  expect(installSeconds).toBeLessThan(15);
  const manifest = await Bun.file(join(home, "node_modules/@plantstore/server/package.json")).json();
  expect(Object.keys(manifest.dependencies)).toEqual(["bun"]);
  expect(manifest).not.toHaveProperty("scripts");
  const installed = await runProgram(["ls", join(home, "node_modules")], home);
  expect(installed.trim().split("\n")).toEqual(["@oven", "@plantstore", "bun"]);
});

test("it serves on Node's npx, creates, imports, searches and exports, signs people in and shows the pages", async () => {
  await runProgram([...command, "account", "create", "--email", email, "--password-stdin"], home, { input: PASSWORD });
  const token = (await runProgram([...command, "token", "create", "--account", email, "--name", "test"], home)).trim();
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/x-ndjson" };
  const body = Array.from({ length: 1000 }, (_, index) => `{"id":${index},"name":"Ficus ${index}"}`).join("\n");
  const imported = await fetch(`${running.url}/v1/plants/import`, { method: "POST", headers, body });
  expect(await imported.json()).toMatchObject({ created: 1000, failed: 0 });
  const found = await fetch(`${running.url}/v1/plants?q=FICUS%20999`, { headers });
  expect(await found.json()).toMatchObject({ data: [{ id: 999 }] });
  expect((await everyPlant(running.url, token)).size).toBe(1000);
  const browser = new TestBrowser(running);
  expect((await browser.signIn(email, PASSWORD)).status).toBe(200);
  const page = await (await fetch(`${running.url}/dashboard`)).text();
  const [, script = ""] = /<script type="module" src="([^"]+)"/.exec(page) ?? [];
  expect((await fetch(running.url + script)).status).toBe(200);
  expect((await fetch(`${running.url}/docs`)).status).toBe(200);
});

test("it obeys no .env, bunfig.toml or tsconfig.json of the folder it is in", () => expectFilesUnread(command));

test("with DOMAIN it fetches a certificate and serves with it", () =>
  expectCertificateFetched(command, temporaryFolder()));

test("it sends spans to a collector", () => collector.has("POST bulk", "commit batch"));

test("SIGTERM to the command stops the server in order", async () => {
  expect(await running.stop()).toBe(0);
  expect(running.output()).toContain('"msg":"stopped"');
  expect(running.output()).not.toContain('"level":"error"');
});

test("SIGTERM to npx stops the server in order", async () => {
  const started = await startProgram(["npx", "plantstore"], home);
  started.process.kill("SIGTERM");
  await eventually("the server has stopped", () => started.output().includes('"msg":"stopped"'));
});

test("the server ends with the command that was killed", async () => {
  const { process: launcher, url } = await startProgram(command, home);
  launcher.kill("SIGKILL");
  await eventually("nobody answers", () =>
    fetch(`${url}/healthz`).then(
      () => false,
      () => true,
    ),
  );
});

test("it finds its runtime also after the runtime's install script, which moves it", async () => {
  await runProgram(["npm", "rebuild", "bun"], home);
  expect(await runProgram([...command, "--version"], home)).toMatch(/^\d+\.\d+\.\d+\n$/);
});
