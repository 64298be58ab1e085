import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { SCOPES } from "#core/token.ts";
import { ROOT, startService, type TestService } from "#test/support/service.ts";

/**
 * `scripts/conformance/run`: requests made from the OpenAPI document (Schemathesis, from PyPI), and the client's requests
 * through a proxy that validates both sides against it (Prism, from npm). Both are fetched once, into `dist/conformance`;
 * the one that cannot be is skipped by name.
 */
const FOLDER = join(ROOT, "dist/conformance");
const SCHEMATHESIS = join(FOLDER, "python/bin/st");
const PRISM = join(FOLDER, "node_modules/.bin/prism");
const VERSIONS = { schemathesis: "4.32.5", prism: "5.16.0" };

/**
 * Findings that are the tool's own:
 * - positive_data_acceptance takes each string for a cursor, an ETag or a CSV file, and holds that a schema can say what
 *   the service refuses: a cursor that it did not give, a condition that does not hold, U+0000, another plant's id.
 * - NDJSON has no serializer in Schemathesis, so that it reports an error for each import in it.
 * - `GET /v1/events` may wait for 30 s; `test/events.test.ts` looks at it.
 */
const SCHEMATHESIS_OPTIONS = [
  "--exclude-checks=positive_data_acceptance",
  "--exclude-path=/docs",
  "--exclude-path=/v1/events",
  "--exclude-operation-id=importPlants",
  "--continue-on-failure",
];

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await fetchTools();
  const service = await startService();
  try {
    const scopes = SCOPES;
    const outcomes = [
      await schemathesis(service, await service.token({ scopes })),
      await throughProxy(service, await service.token({ scopes })),
    ];
    if (outcomes.includes(false)) process.exitCode = 1;
  } finally {
    await service.stop();
  }
}

async function fetchTools(): Promise<void> {
  if (!existsSync(SCHEMATHESIS) && Bun.which("python3")) {
    await run(["python3", "-m", "venv", "python"]);
    await run(["python/bin/pip", "install", "-q", `schemathesis==${VERSIONS.schemathesis}`]);
  }
  if (!existsSync(PRISM) && Bun.which("npm")) {
    await Bun.write(join(FOLDER, "package.json"), '{"private":true}');
    await run(["npm", "install", "--silent", "--no-audit", "--no-fund", `@stoplight/prism-cli@${VERSIONS.prism}`]);
  }
}

async function run(command: string[]): Promise<boolean> {
  const child = Bun.spawn(command, { cwd: FOLDER, stdout: "inherit", stderr: "inherit" });
  return (await child.exited) === 0;
}

async function schemathesis({ url }: TestService, token: string): Promise<boolean> {
  if (!existsSync(SCHEMATHESIS)) return skipped("Schemathesis", "python3");
  const options = ["-H", `Authorization: Bearer ${token}`, "--max-examples=20", "--seed=1", ...SCHEMATHESIS_OPTIONS];
  return run([SCHEMATHESIS, "run", `${url}/openapi.json`, ...options]);
}

/** Every answer that Prism finds at odds with the document is a 500 of its own, which the client throws. */
async function throughProxy({ url }: TestService, token: string): Promise<boolean> {
  if (!existsSync(PRISM)) return skipped("Prism", "npm");
  const port = 40_000 + Math.floor(Math.random() * 20_000);
  const command = [PRISM, "proxy", `${url}/openapi.json`, url, "--errors", "--port", String(port)];
  const proxy = Bun.spawn(command, { cwd: FOLDER, stdout: "ignore", stderr: "inherit" });
  try {
    await exercise(new PlantstoreClient({ url: `http://127.0.0.1:${port}`, token, retriesMax: 8 }));
    console.log("Prism: every request and answer is as the document says");
    return true;
  } catch (error) {
    console.error("Prism:", error);
    return false;
  } finally {
    proxy.kill();
  }
}

/** Ids are small, and the account a new one: the proxy takes an int64 beyond 2^53 - 1 for a violation. */
async function exercise(client: PlantstoreClient): Promise<void> {
  await client.create({ id: 1, name: "Aloe", tag: "indoor" });
  await client.create({ id: 2, name: "Fern" });
  const { etag } = await client.get(1);
  await client.change(1, { name: "Aloe vera", tag: null }, { ifMatch: etag });
  await Array.fromAsync(client.list({ pageSize: 1, order: "-created_at" }));
  await refusedWith(40403, client.get(404));
  await refusedWith(40901, client.create({ id: 2, name: "Ficus" }));
  await refusedWith(41201, client.remove(1, { ifMatch: etag }));
  await client.eventPage({ limit: 2 });
  await client.remove(1);
}

async function refusedWith(number: number, call: Promise<unknown>): Promise<void> {
  const error = await call.then(
    () => undefined,
    (reason) => reason,
  );
  if (error?.error !== number) throw new Error(`It should be refused with ${number}`, { cause: error });
}

function skipped(name: string, program: string): boolean {
  console.log(`${name}: skipped, since this machine has no ${program}`);
  return true;
}

await main();
