import { expect, test } from "bun:test";
import { join } from "node:path";
import { eventually } from "./support/eventually.ts";
import { outcomeOf } from "./support/process.ts";
import { ROOT, temporaryFolder } from "./support/service.ts";

/** Runs a test of those lines as `npm test` does. */
async function runTests(name: string, ...lines: readonly string[]) {
  const file = join(temporaryFolder(), `${name}.test.ts`);
  await Bun.write(file, ['import { test } from "bun:test";', ...lines].join("\n"));
  const { TEST_ENGINE: _, TEST_POSTGRES_PORTS: __, ...env } = process.env;
  const run = Bun.spawn([process.execPath, "scripts/test.ts", file], {
    cwd: ROOT,
    env,
    stdout: "pipe",
    stderr: "pipe",
  });
  const { code, out, problem } = await outcomeOf(run);
  return { exitCode: code, output: out + problem };
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test.concurrent("a service that no test stops ends with the tests, on either engine", async () => {
  const support = JSON.stringify(join(ROOT, "test/support/service.ts"));
  const lines = ["sqlite", "postgres"].map(
    (engine) => `test("on ${engine}", () => startService({ engine: "${engine}" }));`,
  );
  const { exitCode, output } = await runTests("forgotten", `import { startService } from ${support};`, ...lines);
  expect(output).toContain("2 passed, 0 failed, 0 skipped");
  expect(output).not.toContain("left a process");
  expect(exitCode).toBe(0);
});

test.concurrent("a process that the tests leave running fails them, is named and ended", async () => {
  if (process.platform !== "linux") return console.warn("Not tested here: there is no /proc to find processes in");
  const spawn = '{ cwd: process.env.TMPDIR, detached: true, stdio: ["ignore", "ignore", "ignore"] }';
  const left = await runTests("left", `test("leaves", () => { Bun.spawn(["sleep", "61.5"], ${spawn}).unref(); });`);
  expect(left).toMatchObject({ exitCode: 1, output: expect.stringMatching(/left a process running: \d+ sleep 61\.5/) });
  const [, pid] = /running: (\d+) /.exec(left.output) ?? [];
  await eventually("it has ended", () => !isThere(Number(pid)));
});
