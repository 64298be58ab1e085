import { afterAll, expect, test } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDocument } from "../scripts/tables.ts";
import { freePort } from "./support/free-port.ts";
import { COMMAND, temporaryFolder } from "./support/service.ts";

const folder = temporaryFolder();
const programs = join(folder, "programs");
const blocks = [...readDocument("docs/operations.md").matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = ""]) => block);
afterAll(() => Bun.spawnSync(["sh", "-c", 'kill $(head -qn 1 "$0"/data/*.pid) 2>/dev/null', folder]));

test("every command of docs/operations.md works, in its order", async () => {
  mkdirSync(programs);
  symlinkSync(COMMAND, join(programs, "plantstore"));
  const isMissing = ["age", "age-keygen", "zstd"].filter((name) => !Bun.which(name));
  if (isMissing.length > 0) console.warn(`Without encryption here: ${isMissing.join(", ")} not installed`);
  if (process.platform !== "linux") console.warn("Without the restart here: servers share a port on Linux only");
  const runnable = blocks
    .filter((block) => isMissing.length === 0 || !/\bage(?:-keygen)?\b/.test(block))
    .filter((block) => process.platform === "linux" || !block.includes("TAKE_OVER"));
  expect(runnable.length).toBeGreaterThanOrEqual(5);
  const script = ["set -eum", ...runnable].join("\n").replaceAll("/var/backups", join(folder, "backups"));
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: folder,
    env: {
      PATH: [programs, dirname(process.execPath), process.env.PATH].join(":"),
      HOME: process.env.HOME ?? "",
      PORT: String(freePort()),
      LOG_FORMAT: "json",
    },
    stdin: "ignore",
    stdout: Bun.file(join(folder, "output")),
    stderr: Bun.file(join(folder, "problem")),
  });
  const exitCode = await child.exited;
  const [output, problem] = await Promise.all(["output", "problem"].map((name) => Bun.file(join(folder, name)).text()));
  expect({ exitCode, problem }).toMatchObject({ exitCode: 0 });
  expect(output).toContain("verified: 0 plants of 1 account as of");
  if (process.platform === "linux") expect(output).toContain("has handed over and left");
}, 120_000);
