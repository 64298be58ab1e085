import type { Command } from "commander";
import { command } from "../command.ts";

export function serveCommand(): Command {
  return command(
    "serve",
    "serve the API and the dashboard; settings come from the environment; --json is LOG_FORMAT=json",
    "PORT=8080 plantstore serve",
  )
    .option("--take-over", "take over from the server that runs on the same database; the same as TAKE_OVER=1")
    .action(async ({ json, takeOver }: { readonly json?: boolean; readonly takeOver?: boolean }) => {
      const { runServer } = await import("#server/run.ts");
      const given = { ...(json ? { LOG_FORMAT: "json" } : {}), ...(takeOver ? { TAKE_OVER: "1" } : {}) };
      await runServer({ ...process.env, ...given });
    });
}
