import { afterAll, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { commandList } from "#scripts/clients/generators.ts";
import { readDocument } from "#scripts/tables.ts";
import { PATH_WITH_CURL } from "./support/curl.ts";
import { CURL_OPTIONS } from "./support/curl-stand-in.ts";
import { DOCUMENTS } from "./support/documents.ts";
import { newDatabase } from "./support/engines.ts";
import { freePort } from "./support/free-port.ts";
import { startProgram } from "./support/program.ts";
import { COMMAND, ROOT, startService, temporaryFolder } from "./support/service.ts";

/** The reasons not to run a block of a document, each with a check that it is true of the block. */
const NOT_RUN: Readonly<Record<string, (block: string) => boolean>> = {
  "it installs packages from the network": (block) => /^(?:npm cit?\b|pip install )/m.test(block),
  "scripts/clients/run runs it, with generators from the network": (block) => commandList().includes(block.trim()),
  "it is of a cluster, whose machines it has no names of": (block) => /<(?:name|address|db1)/.test(block),
  "it measures for half an hour": (block) => /^bench\/peers\/run +#/m.test(block),
  "age, or zstd, is not installed here": (block) =>
    /\bage(?:-keygen)?\b/.test(block) && !["age", "age-keygen", "zstd"].every((name) => Bun.which(name)),
  "it is of a machine with systemd, on which the service is installed": (block) =>
    /\b(?:systemctl|runuser)\b/.test(block),
  "it needs a name and ports of the internet, a certificate, or a provider": (block) =>
    /\b(?:DOMAIN|TLS_CERT_FILE|OIDC_ISSUER)=/.test(block),
  "servers share a port on Linux only": (block) => block.includes("TAKE_OVER") && process.platform !== "linux",
};
const RUN_HERE = [
  "README.md",
  "docs/agents.md",
  "docs/clients.md",
  "docs/first-plant.md",
  "docs/import-and-export.md",
  "docs/operations.md",
  "docs/recipes/nightly-sync.md",
  "docs/recipes/price-list.md",
  "docs/recipes/spreadsheet.md",
  "docs/recipes/stock.md",
  "docs/recipes/webhook-receiver.md",
  "docs/webhooks.md",
];

const ADDRESS = "http://127.0.0.1:3000";
const folder = temporaryFolder();
const programs = join(folder, "programs");
const clone = join(folder, "plantstore");
mkdirSync(programs);
symlinkSync(COMMAND, join(programs, "plantstore"));
const PATH = [programs, dirname(process.execPath), PATH_WITH_CURL].join(":");

afterAll(() => Bun.spawnSync(["sh", "-c", 'kill $(head -qn 1 "$0"/data/*.pid) 2>/dev/null', folder]));

test("every block of commands in a document is run here, or has a reason", () => {
  const others = DOCUMENTS.filter((name) => !RUN_HERE.includes(name)).flatMap((name) =>
    runnable(name).map((block) => ({ name, block })),
  );
  expect(others).toEqual([]);
});

test("the program that stands in for a missing curl knows each option that a document's line of curl has", () => {
  const names = Object.entries(CURL_OPTIONS).flatMap(([name, option]) => [
    `--${name}`,
    ...("short" in option ? [`-${option.short}`] : []),
  ]);
  const lines = DOCUMENTS.flatMap(
    (name) =>
      readDocument(name)
        .replaceAll("\\\n", " ")
        .match(/^ *curl .*/gm) ?? [],
  );
  expect(lines.length).toBeGreaterThanOrEqual(8);
  const used = lines.flatMap((line) => line.replaceAll(/'[^']*'|"[^"]*"/g, "").match(/(?<= )--?[a-z][a-z-]*/gi) ?? []);
  expect(used.filter((option) => !names.includes(option))).toEqual([]);
});

test("README.md: every command runs, in its order, in a fresh clone", async () => {
  await makeClone();
  expect(readDocument("README.md")).toContain("npm ci && npm start\n");
  // The shell passes over the argument that is added.
  const service = await startProgram(["sh", "-c", "exec npm start"], clone);
  const output = await runBlocks(
    runnable("README.md").map((block) => block.replaceAll(ADDRESS, service.url)),
    { cwd: clone, env: { PLANTSTORE_URL: service.url } },
  );
  await service.stop();
  expect(output).toContain('{"name":"Monstera deliciosa","tag":"indoor"}');
  expect(output).toContain("Ficus lyrata");
  expect(output).toContain('{"id":9007199254740993,"name":"Monstera deliciosa","tag":"indoor","created_at":');
});

test("docs/clients.md: the client is installed from a running service", async () => {
  await using service = await startedService();
  const { PLANTSTORE_URL } = await service.env();
  const [block = ""] = runnable("docs/clients.md");
  const install = `${block.trim().replace("http://127.0.0.1:3000", PLANTSTORE_URL)} --noproxy=127.0.0.1`;
  const folder = temporaryFolder();
  await runBlocks([install], { cwd: folder });
  expect(existsSync(join(folder, "node_modules/@plantstore/client/plantstore-client.js"))).toBe(true);
});

test("docs/operations.md: every command works, in its order", async () => {
  const blocks = runnable("docs/operations.md");
  expect(blocks.length).toBeGreaterThanOrEqual(5);
  // The only store is that of the account made first.
  const script = blocks.map((block) =>
    block
      .replaceAll("/var/backups", join(folder, "backups"))
      .replaceAll("--account STORE", "--account grower@example.com"),
  );
  // The block before tells the server to stop, which goes on on the machine of whoever reads what to do.
  const later = freePort();
  const whenInTrouble = script.findIndex((block) => block.includes("plantstore account password"));
  script.splice(whenInTrouble, 0, `export PORT=${later}\nplantstore serve > later.log &\nplantstore health --wait 30s`);
  const env = { PORT: String(freePort()), PLANTSTORE_URL: `http://127.0.0.1:${later}`, LOG_FORMAT: "json" };
  const output = await runBlocks(script, { env });
  expect(output).toContain("verified: 0 plants of 1 account as of");
  if (process.platform === "linux") expect(output).toContain("has handed over and left");
});

test("docs/operations.md: the steps from SQLite to PostgreSQL carry a store over, with stand-ins for systemd and psql", async () => {
  const steps = [...readDocument("docs/operations.md").matchAll(/```sh\n([\s\S]*?)```/g)].map(
    ([, block = ""]) => block,
  );
  const block = steps.find((each) => each.includes("MOVE_FROM=")) ?? "";
  const place = temporaryFolder();
  const [path, settings] = [join(place, "plantstore.db"), join(place, "plantstore.env")];
  writeFileSync(
    settings,
    `DATABASE_URL=sqlite:${path}\nBACKUP_TO=${place}/backups\nPORT=${freePort()}\nLOG_FORMAT=json\n`,
  );
  const standIns = `
    psql() { :; }
    runuser() { shift 3; "$@"; }
    systemctl() {
      if [ "$1" = stop ]; then kill %1; wait %1 || true; else plantstore serve --env-file ${settings} >> ${place}/log & fi
    }`;
  const ready = `plantstore health --wait 30s --env-file ${settings}`;
  const first = `systemctl start plantstore; ${ready}; plantstore account create --email ivy@example.com --env-file ${settings}`;
  const url = await newDatabase("postgres", place);
  const moved = block
    .replace("/var/lib/plantstore/plantstore.db", path)
    .replaceAll("/etc/plantstore.env", settings)
    .replace("postgres://plantstore:PASSWORD@127.0.0.1/plantstore", url)
    .replace("systemctl start plantstore\n", `systemctl start plantstore\n${ready}\n`);
  const output = await runBlocks([standIns, first, moved], { cwd: place });
  expect(output).toMatch(/^people +1 /m);
  expect(output).toMatch(/^server +.* is ready$/m);
  expect(output).toMatch(/^database +postgres:/m);
  expect(output).toMatch(/^plants +0 plants of 1 account$/m);
});

test("docs/webhooks.md: every command runs, in its order", async () => {
  await using service = await startedService();
  const output = await runBlocks(runnable("docs/webhooks.md"), {
    env: await service.env("webhooks:manage", "plants:write"),
  });
  expect(output).toContain('{"data":[],"next_cursor":');
  expect(output).toMatch(/"url":"https:\/\/shop\.example\.com\/plants".*"secret":"whsec_/);
});

test("docs/first-plant.md and docs/import-and-export.md: every command runs, in its order", async () => {
  await using service = await startedService();
  const env = await service.env("plants:write");
  const blocks = ["docs/first-plant.md", "docs/import-and-export.md"].flatMap(runnable);
  const output = await runBlocks(
    [...blocks.map((block) => block.replaceAll(ADDRESS, env.PLANTSTORE_URL)), "cat plants.csv"],
    { env },
  );
  expect(output).toContain('{"id":1,"name":"Monstera deliciosa","tag":"indoor","created_at":');
  expect(output).toContain('"created":1');
  expect(output).toContain("2,Ficus benjamina,");
});

test.each(["stock", "price-list", "spreadsheet", "nightly-sync"])(
  "docs/recipes/%s.md: every command prints what stands there",
  async (name) => {
    const document = `docs/recipes/${name}.md`;
    await using service = await startedService();
    const output = await runBlocks(runnable(document), { env: await service.env("plants:write") });
    expect(withoutTimes(output)).toBe(withoutTimes(printed(document)));
  },
);

test("docs/recipes/webhook-receiver.md: the receiver takes an event, and no request without a signature", async () => {
  const document = "docs/recipes/webhook-receiver.md";
  await using service = await startedService();
  const [receive = "", trigger = "", ...refuse] = runnable(document);
  const untilReceived = `until grep -q genuine received.txt; do ${trigger.trim()} > triggered.txt; sleep 0.1; done`;
  const port = `:${freePort()}/`;
  const blocks = [receive.replace("listen(4000,", `listen(${port.slice(1, -1)},`), untilReceived, ...refuse];
  const output = await runBlocks(
    blocks.map((block) => block.replaceAll(":4000/", port)),
    { env: await service.env("plants:write") },
  );
  expect(output).toBe(printed(document));
});

test("docs/agents.md: the agent's commands, and its files of settings, lead it to the tools", async () => {
  await using service = await startedService({ MCP: "on" });
  const env = await service.env("plants:write");
  const asAgent = `claude() { "${process.execPath}" "${join(ROOT, "test/support/agent-stand-in.ts")}" "$@"; }`;
  const files = [...readDocument("docs/agents.md").matchAll(/```json\n([\s\S]*?)```/g)].map(([, json = ""]) =>
    json.replaceAll("https://plants.example.com", env.PLANTSTORE_URL).replaceAll("plant_…", env.PLANTSTORE_TOKEN),
  );
  expect(files).toHaveLength(2);
  const output = await runBlocks(
    [asAgent, ...runnable("docs/agents.md"), ...files.map((json) => `claude settings '${json}'`)],
    { env },
  );
  expect(output.match(/^plantstore: .*\badd_plant\b/gm)).toHaveLength(4);
});

/** What `npm ci` leaves is in it: the packages and the dashboard's pages. */
async function makeClone(): Promise<void> {
  if (Bun.which("git") && existsSync(join(ROOT, ".git"))) await runBlocks([`git clone -q ${ROOT} ${clone}`]);
  else {
    console.log("the commands run in a copy of the tree, since git, or the repository, is not here");
    const made = ["node_modules", "dist", "data", ".git"].map((name) => join(ROOT, name));
    cpSync(ROOT, clone, { recursive: true, filter: (path) => !made.includes(path) });
  }
  mkdirSync(join(clone, "dist"));
  symlinkSync(join(ROOT, "dist/dashboard"), join(clone, "dist/dashboard"));
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
}

async function startedService(settings: Record<string, string> = {}) {
  const service = await startService({ settings });
  return {
    env: async (...scopes: ("webhooks:manage" | "plants:write")[]) => ({
      PLANTSTORE_URL: service.url,
      PLANTSTORE_TOKEN: await service.token({ scopes: ["plants:read", ...scopes] }),
    }),
    async [Symbol.asyncDispose]() {
      await service.stop();
    },
  };
}

/** The blocks of commands of a document, in their order, but for those that there is a reason not to run. */
function runnable(document: string): string[] {
  return [...readDocument(document).matchAll(/^ *```sh\n([\s\S]*?)```/gm)]
    .map(([, block = ""]) => block)
    .filter((block) => {
      const reason = Object.keys(NOT_RUN).find((each) => NOT_RUN[each]?.(block));
      if (reason !== undefined) console.log(`${document}: not run, since ${reason}: ${block.trim().split("\n")[0]}`);
      return reason === undefined;
    });
}

/** The text that a document says is printed: its blocks of no language, in their order. */
function printed(document: string): string {
  const blocks = [...readDocument(document).matchAll(/^```(\w*)\n([\s\S]*?)^```/gm)];
  return blocks.flatMap(([, language, block = ""]) => (language === "" ? block : [])).join("");
}

function withoutTimes(text: string): string {
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "TIME");
}

/** Runs them in one shell and returns what they printed. What they left in the background ends with it. */
async function runBlocks(blocks: readonly string[], { cwd = folder, env = {} } = {}): Promise<string> {
  const script = ["set -eum", "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT", ...blocks].join("\n");
  const files = ["output", "problem"].map((name) => Bun.file(join(temporaryFolder(), name)));
  const child = Bun.spawn(["bash", "-c", script.replaceAll(/^curl /gm, "curl -sS ")], {
    cwd,
    env: { PATH, HOME: process.env.HOME ?? "", ...env },
    stdin: "ignore",
    stdout: files[0],
    stderr: files[1],
  });
  const exitCode = await child.exited;
  const [output = "", problem] = await Promise.all(files.map((file) => file.text()));
  expect({ exitCode, problem }).toMatchObject({ exitCode: 0 });
  return output;
}
