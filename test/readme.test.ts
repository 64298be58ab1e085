import { afterAll, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { readDocument } from "../scripts/tables.ts";
import { PATH_WITH_CURL } from "./support/curl.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";

const ADDRESS = "http://127.0.0.1:3000";
const clone = join(temporaryFolder(), "plantstore");
const blocks = [...readDocument("README.md").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block.trim());

let npm: Bun.Subprocess<"ignore", "pipe", "ignore"> | undefined;
afterAll(async () => {
  npm?.kill("SIGTERM");
  await npm?.exited;
});

test("every command of the README runs, in its order, in a fresh clone", async () => {
  const [start, ...rest] = blocks;
  expect(start).toBe("npm ci && npm start");
  expect(rest.pop()).toBe("npm cit");
  await cloneWithPackages();
  const address = await npmStart();
  const script = ["set -eu", `export PLANTSTORE_URL=${ADDRESS}`, ...rest].join("\n").replaceAll(ADDRESS, address);
  const { exitCode, output, problem } = await run(["bash", "-c", script.replaceAll("curl ", "curl -sS ")]);
  expect({ exitCode, problem }).toMatchObject({ exitCode: 0 });
  expect(output).toContain('{"name":"Monstera deliciosa","tag":"indoor"}');
  expect(output).toContain("Ficus lyrata");
  expect(output).toContain('{"id":9007199254740993,"name":"Monstera deliciosa","tag":"indoor","created_at":');
}, 60_000);

/** The clone shares the packages that `npm ci` has installed here. */
async function cloneWithPackages(): Promise<void> {
  const { exitCode, problem } = await run(["git", "clone", "-q", ROOT, clone], ROOT);
  expect({ exitCode, problem }).toMatchObject({ exitCode: 0 });
  symlinkSync(join(ROOT, "node_modules"), join(clone, "node_modules"));
}

async function npmStart(): Promise<string> {
  const env = { ...process.env, PORT: "0", LOG_FORMAT: "json" };
  npm = Bun.spawn(["npm", "start"], { cwd: clone, env, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  let output = "";
  const decoder = new TextDecoder();
  const reader = npm.stdout.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    output += decoder.decode(value, { stream: true });
    const [address] = /http:\/\/[^\s"/]+:\d+/.exec(output) ?? [];
    if (address) return address;
    if (done) throw new Error(`npm start ended: ${output}`);
  }
}

async function run(command: string[], cwd = clone) {
  const env = { ...process.env, PATH: PATH_WITH_CURL };
  const child = Bun.spawn(command, { cwd, env, stdout: "pipe", stderr: "pipe" });
  const [output, problem] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, output, problem };
}
