import type { Command } from "commander";
import { command } from "../command.ts";
import { printJson, printLine } from "../output.ts";

export function restartCommand(): Command {
  return command(
    "restart",
    "replace the server that runs on the same database by a new one, without a gap (Linux, SQLite)",
    "plantstore restart",
  ).action(async ({ json }: { readonly json?: boolean }) => {
    const { restartServer } = await import("#server/restart.ts");
    const { pid, port, replaced } = await restartServer(process.env);
    if (json) printJson({ pid, port, replaced });
    else printLine(`${pid} serves on port ${port}; ${replaced} has handed over and left`);
  });
}
