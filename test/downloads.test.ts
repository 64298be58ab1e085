import { afterAll, beforeAll, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { unzipSync } from "fflate";
import { RELEASE } from "#server/process/release.ts";
import { runProgram } from "./support/program.ts";
import { startService, type TestService, temporaryFolder } from "./support/service.ts";
import { missingProgram, testUnless } from "./support/skipped.ts";

const CLIENT = `plantstore-client-${RELEASE}.tgz`;
const WHEEL = `plantstore_client-${RELEASE}-py3-none-any.whl`;
const COMMANDS = `plantstore-cli-${RELEASE}.tgz`;

let service: TestService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes);

async function download(name: string): Promise<Uint8Array> {
  const answer = await fetch(`${service.url}/downloads/${name}`);
  expect(answer.status).toBe(200);
  return answer.bytes();
}

async function saved(folder: string, name: string): Promise<string> {
  await Bun.write(`${folder}/${name}`, await download(name));
  return `${folder}/${name}`;
}

test("the list of downloads has their sizes and checksums, as JSON, as a page, and for sha256sum", async () => {
  const answer = await fetch(`${service.url}/downloads`, { headers: { Accept: "application/json" } });
  expect(answer.headers.get("cache-control")).toBe("no-store");
  const { data } = await answer.json();
  expect(data.map(({ name }: { name: string }) => name)).toEqual([CLIENT, WHEEL, COMMANDS, "SHA256SUMS"]);
  const sums = (await (await fetch(`${service.url}/downloads/SHA256SUMS`)).text()).trim().split("\n");
  const page = await (await fetch(`${service.url}/downloads`, { headers: { Accept: "text/html" } })).text();
  for (const { name, bytes, sha256: sum } of data.slice(0, 3)) {
    const content = await download(name);
    expect([content.length, sha256(content).digest("hex")]).toEqual([bytes, sum]);
    expect(sums).toContain(`${sum}  ${name}`);
    expect(page).toContain(`${service.url}/downloads/${name}`);
  }
});

test("there is nothing else, and nothing is taken", async () => {
  const missing = await fetch(`${service.url}/downloads/plantstore.db`);
  expect([missing.status, (await missing.json()).error]).toEqual([404, 40401]);
  expect((await fetch(`${service.url}/downloads`, { method: "POST" })).status).toBe(405);
});

test("a page of any other site may read them, as every address of the API", async () => {
  const options = await fetch(`${service.url}/downloads/SHA256SUMS`, { method: "OPTIONS" });
  expect([options.status, options.headers.get("allow")]).toEqual([204, "GET, HEAD, OPTIONS"]);
  const { headers } = await fetch(`${service.url}/downloads/SHA256SUMS`);
  expect([headers.get("access-control-allow-origin"), headers.get("plantstore-version")]).toEqual(["*", "1.0.0"]);
});

test("the command line works on Node in a folder of its own, exact to the last digit", async () => {
  const folder = temporaryFolder();
  await Bun.write(`${folder}/package.json`, "{}");
  await runProgram(["npm", "install", "--offline", "--no-audit", await saved(folder, COMMANDS)], folder);
  const settings = { PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: await service.token() };
  const run = (...args: string[]) =>
    runProgram([`${folder}/node_modules/.bin/plantstore`, ...args], folder, { settings });
  await run("plants", "add", "9007199254740993", "Rosa canina");
  expect(await run("plants", "get", "9007199254740993", "--json")).toContain('"id": 9007199254740993');
  const commands = await run("--help");
  expect(commands).toContain("listen");
  expect(commands).not.toMatch(/^ {2}(serve|backup)/m);
});

test("the wheel names each of its files with its checksum", async () => {
  const files = unzipSync(await download(WHEEL));
  const record = new TextDecoder().decode(files[`plantstore_client-${RELEASE}.dist-info/RECORD`]);
  for (const [path, content] of Object.entries(files)) {
    if (!path.endsWith("RECORD")) expect(record).toContain(`${path},sha256=${sha256(content).digest("base64url")},`);
  }
  expect(files["plantstore/_sync.py"]).toBeDefined();
});

testUnless(missingProgram("python3"), "pip installs the wheel", async () => {
  const folder = temporaryFolder();
  await runProgram(["python3", "-m", "venv", `${folder}/env`], folder);
  await runProgram([`${folder}/env/bin/pip`, "install", "--no-deps", await saved(folder, WHEEL)], folder);
  expect(await runProgram([`${folder}/env/bin/pip`, "show", "plantstore-client"], folder)).toContain(
    `Version: ${RELEASE}`,
  );
});
