import type { Command } from "commander";
import { command } from "../command.ts";

export function serveCommand(): Command {
  return command(
    "serve",
    "serve the API and the dashboard; settings come from the environment; --json is LOG_FORMAT=json",
    "PORT=8080 plantstore serve",
  ).action(async ({ json }: { readonly json?: boolean }) => {
    const { runServer } = await import("#server/run.ts");
    await runServer(json ? { ...process.env, LOG_FORMAT: "json" } : process.env);
  });
}
