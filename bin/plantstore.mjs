#!/usr/bin/env node
// Starts the program of the npm package on the runtime that came with it. Runs on Node 20 and later; the runtime needs no
// install script, since its package for this machine is found here.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const HINT = "plantstore: no command was given, so this serves (plantstore --help has the others)";
const FORWARDED = ["SIGTERM", "SIGHUP", "SIGUSR2"];
const NOT_STARTED = 1;

const args = process.argv.slice(2);
if (args.length === 0) {
  console.error(HINT);
  args.push("serve");
}
const program = fileURLToPath(new URL("../lib/plantstore.js", import.meta.url));
// Files of the working directory are none of the program's.
const options = ["--no-env-file", "--config=/dev/null", "--tsconfig-override=/dev/null"];
// The program ends with this process, also by kill -9; the server that `restart` starts does not.
if (args[0] !== "restart") options.push("--no-orphans");
const child = spawn(runtime(), [...options, program, ...args], { stdio: "inherit" });
for (const signal of FORWARDED) process.on(signal, () => child.kill(signal));
// A terminal sends it to both.
process.on("SIGINT", () => process.stdin.isTTY || child.kill("SIGINT"));
// npx passes a signal on to its shell alone, which ends by it and leaves this process to the system.
if (process.env.npm_command === "exec") {
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    child.kill("SIGTERM");
  }, 200);
}
child.on("error", (error) => fail(error.message));
child.on("exit", (code, signal) => {
  if (signal === null) process.exit(code ?? NOT_STARTED);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});

function runtime() {
  const { platform, arch } = process;
  const musl = platform === "linux" && !process.report.getReport().header.glibcVersionRuntime;
  const name = `@oven/bun-${platform}-${arch === "arm64" ? "aarch64" : arch}${musl ? "-musl" : ""}`;
  // Where install scripts run, the runtime's own moves the file from the one package to the other.
  return found(`${name}/bin/bun`) ?? found("bun/bin/bun.exe") ?? fail(`the runtime ${name} is not installed`);
}

function found(path) {
  try {
    const bun = createRequire(import.meta.url).resolve("bun/package.json");
    return createRequire(bun).resolve(path);
  } catch {
    return undefined;
  }
}

function fail(reason) {
  console.error(`plantstore: ${reason}`);
  process.exit(NOT_STARTED);
}
