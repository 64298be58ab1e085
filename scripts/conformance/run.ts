import { rejects } from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { SCOPES } from "#core/token.ts";
import { eventually } from "#test/support/eventually.ts";
import { freePort } from "#test/support/free-port.ts";
import { ROOT, startService, type TestService } from "#test/support/service.ts";

/**
 * `scripts/conformance/run`: two linters over the OpenAPI document (Spectral and Redocly, from npm), requests made from it
 * (Schemathesis, from PyPI), and the client's requests through a proxy that validates both sides against it (Prism, from
 * npm). All are fetched once, into `dist/conformance`; one that cannot be is skipped by name.
 */
const FOLDER = join(ROOT, "dist/conformance");
const SCHEMATHESIS = join(FOLDER, "python/bin/st");
const PRISM = join(FOLDER, "node_modules/.bin/prism");
const SPECTRAL = join(FOLDER, "node_modules/.bin/spectral");
const REDOCLY = join(FOLDER, "node_modules/.bin/redocly");
const SCHEMATHESIS_VERSION = "4.32.5";
const NPM_PACKAGES = ["@stoplight/spectral-cli@6.16.3", "@redocly/cli@2.77.0", "@stoplight/prism-cli@5.16.0"];

/** Without a token, `/docs` sends the reference as a page for people, with scripts and styles of its own: no client asks for it. */
const SCHEMATHESIS_OPTIONS = ["--exclude-path=/docs", "--continue-on-failure"];
/** Refusals that a schema cannot announce are listed there, each with its reason. */
const HOOKS = join(import.meta.dir, "hooks.py");

async function main(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true });
  await fetchTools();
  const service = await startService();
  try {
    const scopes = SCOPES;
    const outcomes = [
      await linted(service),
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
    await run(["python/bin/pip", "install", "-q", `schemathesis==${SCHEMATHESIS_VERSION}`]);
  }
  if (![SPECTRAL, REDOCLY, PRISM].every((tool) => existsSync(tool)) && Bun.which("npm")) {
    await Bun.write(join(FOLDER, "package.json"), '{"private":true}');
    await run(["npm", "install", "--silent", "--no-audit", "--no-fund", ...NPM_PACKAGES]);
  }
}

async function run(command: string[], env: Record<string, string> = {}): Promise<boolean> {
  const child = Bun.spawn(command, {
    cwd: FOLDER,
    env: { ...process.env, ...env },
    stdout: "inherit",
    stderr: "inherit",
  });
  return (await child.exited) === 0;
}

/** Neither linter may report a warning. */
async function linted({ url }: TestService): Promise<boolean> {
  if (!existsSync(SPECTRAL) || !existsSync(REDOCLY)) return skipped("Spectral and Redocly", "npm");
  await Bun.write(join(FOLDER, "openapi.json"), await (await fetch(`${url}/openapi.json`)).text());
  await Bun.write(join(FOLDER, "spectral.yaml"), "extends: [spectral:oas]\n");
  await Bun.write(join(FOLDER, "redocly.yaml"), "extends: [recommended-strict]\n");
  const spectral = await run([SPECTRAL, "lint", "openapi.json", "--ruleset=spectral.yaml", "--fail-severity=hint"]);
  const redocly = await run([REDOCLY, "lint", "openapi.json", "--config=redocly.yaml"]);
  return spectral && redocly;
}

async function schemathesis({ url }: TestService, token: string): Promise<boolean> {
  if (!existsSync(SCHEMATHESIS)) return skipped("Schemathesis", "python3");
  const options = ["-H", `Authorization: Bearer ${token}`, "--max-examples=20", "--seed=1", ...SCHEMATHESIS_OPTIONS];
  return run([SCHEMATHESIS, "run", `${url}/openapi.json`, ...options], { SCHEMATHESIS_HOOKS: HOOKS });
}

/** Prism answers 500 for every answer that violates the document, which the client throws. */
async function throughProxy({ url }: TestService, token: string): Promise<boolean> {
  if (!existsSync(PRISM)) return skipped("Prism", "npm");
  const port = freePort();
  const command = [PRISM, "proxy", `${url}/openapi.json`, url, "--errors", "--port", String(port)];
  const proxy = Bun.spawn(command, { cwd: FOLDER, stdout: "ignore", stderr: "inherit" });
  try {
    await eventually("Prism listens", () => listens(port));
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

async function listens(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Ids are small, and the account a new one: the proxy takes an int64 beyond 2^53 - 1 for a violation. */
async function exercise(client: PlantstoreClient): Promise<void> {
  await client.create({ id: 1, name: "Aloe", tag: "indoor" });
  await client.create({ id: 2, name: "Fern" });
  const { etag } = await client.get(1);
  await client.change(1, { name: "Aloe vera", tag: null }, { ifMatch: etag });
  await Array.fromAsync(client.list({ pageSize: 1, order: "-created_at" }));
  await rejects(client.get(404), { error: 40403 });
  await rejects(client.create({ id: 2, name: "Ficus" }), { error: 40901 });
  await rejects(client.remove(1, { ifMatch: etag }), { error: 41201 });
  await client.eventPage({ limit: 2 });
  await client.remove(1);
}

function skipped(name: string, program: string): boolean {
  console.log(`${name}: skipped, since this machine has no ${program}`);
  return true;
}

await main();
