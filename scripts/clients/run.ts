import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { outcomeOf } from "#test/support/process.ts";
import { ROOT, startService, type TestService } from "#test/support/service.ts";
import { GENERATORS, type Generator } from "./generators.ts";

/**
 * `scripts/clients/run [NAME…]`: makes a client with every generator (or those whose name holds one of the words) from
 * the document of a running service, compiles it, runs a program in it, and writes the results into docs/clients.md.
 * A generator whose programs are not on this machine is skipped by name.
 */
const EXPECTED_ID = "9007199254740993";
const EXPECTED = { pages: [2, 1], errors: [40004, 40102, 40403, 40901] };
const DOCUMENT = join(ROOT, "docs/clients.md");
const FOLDER = join(ROOT, "dist/clients");
const BIN = join(FOLDER, "bin");
const ARTIFACT = "openapi-generator-cli";
/** As it was tried. */
const JAR_VERSION = "7.25.0";
const JAR_FOLDER = `.m2/repository/org/openapitools/${ARTIFACT}/${JAR_VERSION}`;
const JAR = join(homedir(), JAR_FOLDER, `${ARTIFACT}-${JAR_VERSION}.jar`);
/** The environment in which the commands of the generators find them. */
const ENVIRONMENT = {
  PATH: [BIN, join(ROOT, "node_modules/.bin"), process.env.PATH].join(":"),
  HOME: homedir(),
  GOFLAGS: "-buildvcs=false",
};
const CARGO = `[package]
name = "client"
version = "0.0.0"
edition = "2021"

[dependencies]
openapi = { path = "openapi", default-features = false }
serde_json = "1"
tokio = { version = "1", features = ["macros", "rt"] }
`;

interface Result {
  readonly generator: Generator;
  /** The last stage that was reached, in words. */
  readonly outcome: string;
  readonly works: boolean;
  readonly id: string;
}

async function main(words: readonly string[]): Promise<void> {
  const chosen = GENERATORS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  await fetchGenerator();
  const service = await startService();
  const results: Result[] = [];
  try {
    for (const generator of chosen) {
      const result = await tried(generator, service);
      console.log(`${generator.name}: ${result.outcome}${result.id ? `, id ${result.id}` : ""}`);
      results.push(result);
    }
  } finally {
    await service.stop();
  }
  if (words.length === 0) writeResults(results);
  if (results.some(({ works, outcome }) => !works && !outcome.startsWith("skipped"))) process.exitCode = 1;
}

async function tried(generator: Generator, service: TestService): Promise<Result> {
  const missing = generator.needs.filter((program) => !Bun.which(program));
  const failed = { generator, works: false, id: "" };
  if (missing.length > 0) return { ...failed, outcome: `skipped: this machine has no ${missing.join(", ")}` };
  const folder = join(FOLDER, generator.name.replaceAll(" ", "-"));
  // Compiled dependencies of a run before are kept: they take minutes.
  const environment = {
    ...ENVIRONMENT,
    CARGO_TARGET_DIR: join(FOLDER, "cargo"),
    DOCUMENT: `${service.url}/openapi.json`,
    PLANTSTORE_URL: service.url,
    PLANTSTORE_TOKEN: await service.token(),
  };
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let stage = "generate";
  try {
    addProgram(generator, folder);
    await shell(generator.generate, folder, environment);
    stage = "compile";
    await shell(generator.compile, folder, environment);
    stage = "run";
    const output = await shell(generator.run, folder, environment);
    const { id, ...rest } = JSON.parse(output.trim().split("\n").at(-1) ?? "");
    if (!Bun.deepEquals(rest, EXPECTED)) throw new Error(`It gave ${JSON.stringify(rest)}`);
    return { generator, works: true, outcome: "works", id: id === EXPECTED_ID ? "exact" : `rounded to ${id}` };
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    return { ...failed, outcome: `does not ${stage}` };
  }
}

/** Fetches openapi-generator once, if Maven is here; those that need it report a failure. */
async function fetchGenerator(): Promise<void> {
  mkdirSync(BIN, { recursive: true });
  if (!existsSync(JAR) && Bun.which("mvn")) {
    const get = `mvn -q -B dependency:get -Dtransitive=false -Dartifact=org.openapitools:${ARTIFACT}:${JAR_VERSION}`;
    await shell(get, FOLDER).catch((error) => console.error(String(error)));
  }
  writeFileSync(join(BIN, ARTIFACT), `#!/bin/sh\nexec java -jar ${JAR} "$@"\n`);
  chmodSync(join(BIN, ARTIFACT), 0o755);
}

function addProgram({ program: [file, path], language }: Generator, folder: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  cpSync(join(import.meta.dir, "programs", file), join(folder, path));
  if (language === "Rust") writeFileSync(join(folder, "Cargo.toml"), CARGO);
}

async function shell(command: string, cwd: string, env: Record<string, string> = ENVIRONMENT): Promise<string> {
  const child = Bun.spawn(["sh", "-c", command], { cwd, env, stdout: "pipe", stderr: "pipe" });
  const { code, out, problem } = await outcomeOf(child);
  if (code === 0) return out;
  throw new Error(`${command}\nexited with ${code}:\n${(out + problem).slice(-4000)}`);
}

function writeResults(results: readonly Result[]): void {
  const rows = results.map(({ generator: { name, language }, outcome, id }) => {
    return `|${language}|${name} ${JAR_VERSION}|${outcome}|${id}|`;
  });
  const table = ["|language|generator|client|id 9007199254740993|", "|---|---|---|---|", ...rows].join("\n");
  const text = readFileSync(DOCUMENT, "utf8");
  writeFileSync(DOCUMENT, text.replace(/(<!-- results -->\n)[\s\S]*?(<!-- end -->)/, `$1${table}\n$2`));
}

await main(process.argv.slice(2));
