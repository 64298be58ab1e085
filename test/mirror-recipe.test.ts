import { Database } from "bun:sqlite";
import { afterAll, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "#scripts/tables.ts";
import { eventually } from "./support/eventually.ts";
import { freePort } from "./support/free-port.ts";
import { missingPython, python } from "./support/python-client.ts";
import { ROOT, startService, temporaryFolder } from "./support/service.ts";
import { testUnless } from "./support/skipped.ts";

const DOCUMENT = readDocument("docs/recipes/mirror.md");
/** What is only in a mirror, until it is made anew. */
const STRAY_ID = 77n;
const BIG_ID = 9007199254740993n;

let service = await startService({ settings: { PORT: String(freePort()) } });
afterAll(() => service.stop());

function programOf(language: string): string {
  const [, program = ""] = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(DOCUMENT) ?? [];
  return program;
}

/** The program in JavaScript, beside the client as if it were installed there. */
function javaScript(folder: string) {
  const installed = join(folder, "node_modules/@plantstore/client");
  mkdirSync(installed, { recursive: true });
  writeFileSync(join(installed, "package.json"), '{"name":"@plantstore/client","exports":"./index.ts"}');
  writeFileSync(join(installed, "index.ts"), `export * from ${JSON.stringify(join(ROOT, "src/client/package.ts"))};`);
  writeFileSync(join(folder, "mirror.js"), programOf("js"));
  return { cmd: [process.execPath, "mirror.js"], env: process.env };
}

class Mirror {
  readonly folder = temporaryFolder();
  readonly #start: () => Bun.Subprocess;
  #running: Bun.Subprocess | undefined;

  constructor(program: (folder: string) => { cmd: string[]; env: NodeJS.ProcessEnv }, token: string) {
    const { cmd, env } = program(this.folder);
    const own = { ...env, PLANTSTORE_URL: service.url, PLANTSTORE_TOKEN: token };
    this.#start = () => Bun.spawn({ cmd, env: own, cwd: this.folder, stdout: "inherit", stderr: "inherit" });
  }

  start(): void {
    this.#running = this.#start();
  }

  async kill(): Promise<void> {
    this.#running?.kill("SIGKILL");
    await this.#running?.exited;
  }

  async shows(...plants: readonly (readonly [bigint, string, string | null])[]): Promise<void> {
    await eventually(`the mirror in ${this.folder} shows ${plants.length} plants`, () =>
      Bun.deepEquals(this.#plants(), plants),
    );
  }

  #plants(): unknown {
    try {
      using db = new Database(join(this.folder, "mirror.db"), { readonly: true, safeIntegers: true });
      return db.query("SELECT id, name, tag FROM plant ORDER BY id").values();
    } catch {
      return undefined;
    }
  }

  addStray(): void {
    using db = new Database(join(this.folder, "mirror.db"));
    db.run("INSERT INTO plant VALUES (?, 'Stray', NULL)", [STRAY_ID]);
  }
}

/** It is killed, and goes on from its cursor; and it is killed until its cursor has expired, and is made anew. */
async function expectMirrored(program: ConstructorParameters<typeof Mirror>[0]): Promise<void> {
  const token = await service.token();
  const send = (method: string, path: string, body?: object) => service.send(method, path, { as: token, body });
  const mirror = new Mirror(program, token);
  await using _ = { [Symbol.asyncDispose]: () => mirror.kill() };
  await send("PUT", `/v1/plants/${BIG_ID}`, { name: "Fern", tag: "indoor" });
  await send("PUT", "/v1/plants/1", { name: "Ivy" });
  mirror.start();
  await mirror.shows([1n, "Ivy", null], [BIG_ID, "Fern", "indoor"]);
  await send("PATCH", `/v1/plants/${BIG_ID}`, { tag: null });
  await send("DELETE", "/v1/plants/1");
  await mirror.shows([BIG_ID, "Fern", null]);

  await mirror.kill();
  mirror.addStray();
  await send("PUT", "/v1/plants/2", { name: "Aloe" });
  mirror.start();
  await mirror.shows([2n, "Aloe", null], [STRAY_ID, "Stray", null], [BIG_ID, "Fern", null]);

  await mirror.kill();
  // Without its feed for a while, the service has not kept the events of that time.
  for (const kept of ["0", "30d"]) {
    await service.stop();
    service = await service.restart({ EVENTS_KEPT: kept });
    await send("PUT", "/v1/plants/3", { name: `Fig ${kept}` });
  }
  mirror.start();
  await mirror.shows([2n, "Aloe", null], [3n, "Fig 30d", null], [BIG_ID, "Fern", null]);
}

test("the mirror in JavaScript goes on after a kill, and begins again when its cursor has expired", () =>
  expectMirrored(javaScript));

testUnless(missingPython(), "and so does the one in Python", () =>
  expectMirrored(() => python("-c", programOf("python"))),
);
