import { join } from "node:path";
import { ROOT } from "./service.ts";

export const PYTHON_CLIENT = join(ROOT, "clients/python");
/** PYTHON names another one than the first in PATH. */
const PYTHON = process.env.PYTHON ?? "python3";

/** A run of Python that finds the client. */
export function python(...args: readonly string[]) {
  return {
    cmd: [PYTHON, ...args],
    env: { ...process.env, PYTHONPATH: join(PYTHON_CLIENT, "src"), PYTHONDONTWRITEBYTECODE: "1" },
  };
}

/** The reason to skip a test of the client in Python, or undefined if it can run. */
export function missingPython(): string | undefined {
  if (!Bun.which(PYTHON)) return `${PYTHON} is not installed`;
  const needed = "import sys, httpx; sys.exit(sys.version_info < (3, 10))";
  return Bun.spawnSync(python("-c", needed)).success ? undefined : `${PYTHON} is older than 3.10, or has no httpx`;
}
