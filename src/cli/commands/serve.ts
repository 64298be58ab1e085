import type { Command } from "commander";
import { parseDuration } from "#core/duration.ts";
import { command } from "../command.ts";
import { printResult, printRows } from "../output.ts";
import { wholeNumber } from "../typed-values.ts";

const parseSeconds = wholeNumber("--wait", { min: 0, max: 99_999 });
const parseWait = (text: string) => parseDuration(text) ?? parseSeconds(text) * 1000;

interface Options {
  readonly json?: boolean;
}

export function serveCommand(): Command {
  return command(
    "serve",
    "serve the API and the dashboard; settings come from the environment; --json is LOG_FORMAT=json",
    "PORT=8080 plantstore serve",
  )
    .option("--take-over", "take over from the server that runs on the same database; the same as TAKE_OVER=1")
    .option("--limits", "print what one caller may take from the others, and end")
    .action(
      async ({ json, takeOver, limits }: Options & { readonly takeOver?: boolean; readonly limits?: boolean }) => {
        if (limits) return printLimits(json);
        const { runServer } = await import("#server/process/run.ts");
        const given = { ...(json ? { LOG_FORMAT: "json" } : {}), ...(takeOver ? { TAKE_OVER: "1" } : {}) };
        await runServer({ ...process.env, ...given });
      },
    );
}

async function printLimits(json = false): Promise<void> {
  const { LIMIT_ROWS, LIMIT_TITLES, limitCells } = await import("#server/limit-table.ts");
  type LimitRow = (typeof LIMIT_ROWS)[number];
  const columns = LIMIT_TITLES.map((title, at) => [title, (row: LimitRow) => limitCells(row)[at] ?? ""] as const);
  printRows(json, LIMIT_ROWS, Object.fromEntries(columns));
}

export function restartCommand(): Command {
  return command(
    "restart",
    "replace the server that runs on the same database by a new one, without a gap (Linux, SQLite)",
    "plantstore restart",
  )
    .option("--new-settings", "take the settings of this command's environment where they differ from the server's")
    .action(async ({ json, newSettings }: Options & { readonly newSettings?: boolean }) => {
      const { restartServer } = await import("#server/process/restart.ts");
      const { pid, port, replaced } = await restartServer({ newSettings });
      printResult(json, { pid, port, replaced }, `${pid} serves on port ${port}; ${replaced} has handed over and left`);
    });
}

export function healthCommand(): Command {
  return command(
    "health",
    "ask the server of this machine whether it is ready (HOST and PORT); exits with 1 if it is not",
    "PORT=8080 plantstore health",
  )
    .option(
      "--wait <time>",
      "wait so long for it to become ready, such as 30s; a number alone is of seconds",
      parseWait,
      0,
    )
    .action(async ({ wait, json }: Options & { readonly wait: number }) => {
      const { serverHealth } = await import("#server/process/health.ts");
      const deadline = performance.now() + wait;
      let health = await serverHealth(process.env);
      while (!health.ready && performance.now() < deadline) {
        await Bun.sleep(100);
        health = await serverHealth(process.env);
      }
      const { ready, url, reason } = health;
      if (!ready) throw new Error(`${url} is not ready: ${reason}`);
      printResult(json, { ready, url }, `${url} is ready`);
    });
}
