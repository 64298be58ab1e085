import type { Command } from "commander";
import { command } from "../command.ts";
import { printJson, printLine } from "../output.ts";
import { wholeNumber } from "../whole-number.ts";

const ASK_EVERY_MS = 100;
const parseWait = wholeNumber("--wait", { min: 0, max: 99_999 });

export function healthCommand(): Command {
  return command(
    "health",
    "ask the server of this machine whether it is ready (HOST and PORT); exits with 1 if it is not",
    "PORT=8080 plantstore health",
  )
    .option("--wait <seconds>", "wait so long for it to become ready", parseWait, 0)
    .action(async ({ wait, json }: { readonly wait: number; readonly json?: boolean }) => {
      const { serverHealth } = await import("#server/health.ts");
      const deadline = performance.now() + wait * 1000;
      let health = await serverHealth(process.env);
      while (!health.ready && performance.now() < deadline) {
        await Bun.sleep(ASK_EVERY_MS);
        health = await serverHealth(process.env);
      }
      const { ready, url, reason } = health;
      if (!ready) throw new Error(`${url} is not ready: ${reason}`);
      if (json) printJson({ ready, url });
      else printLine(`${url} is ready`);
    });
}
