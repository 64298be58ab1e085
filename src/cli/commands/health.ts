import type { Command } from "commander";
import { command } from "../command.ts";
import { printJson, printLine } from "../output.ts";

export function healthCommand(): Command {
  return command(
    "health",
    "ask the server of this machine whether it is ready (HOST and PORT); exits with 1 if it is not",
    "PORT=8080 plantstore health",
  ).action(async ({ json }: { readonly json?: boolean }) => {
    const { serverHealth } = await import("#server/health.ts");
    const { ready, url, reason } = await serverHealth(process.env);
    if (json) printJson({ ready, url, ...(reason === undefined ? {} : { reason }) });
    else printLine(ready ? `${url} is ready` : `${url} is not ready: ${reason}`);
    if (!ready) process.exitCode = 1;
  });
}
