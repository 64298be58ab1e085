import type { Command } from "commander";
import { LIMIT_ROWS, LIMIT_TITLES, limitCells } from "#load/table.ts";
import { command } from "../command.ts";
import { printJson, printTable } from "../output.ts";

interface ServeOptions {
  readonly json?: boolean;
  readonly takeOver?: boolean;
  readonly limits?: boolean;
}

export function serveCommand(): Command {
  return command(
    "serve",
    "serve the API and the dashboard; settings come from the environment; --json is LOG_FORMAT=json",
    "PORT=8080 plantstore serve",
  )
    .option("--take-over", "take over from the server that runs on the same database; the same as TAKE_OVER=1")
    .option("--limits", "print what one caller may take from the others, and end")
    .action(async ({ json, takeOver, limits }: ServeOptions) => {
      if (limits) return printLimits(json);
      const { runServer } = await import("#server/run.ts");
      const given = { ...(json ? { LOG_FORMAT: "json" } : {}), ...(takeOver ? { TAKE_OVER: "1" } : {}) };
      await runServer({ ...process.env, ...given });
    });
}

function printLimits(json = false): void {
  const columns = LIMIT_TITLES.map((title, at) => ({ title, value: (cells: readonly string[]) => cells[at] ?? "" }));
  if (json) printJson(LIMIT_ROWS);
  else printTable(LIMIT_ROWS.map(limitCells), columns);
}
