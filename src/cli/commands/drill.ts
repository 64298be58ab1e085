import type { Command } from "commander";
import { endDrill } from "#server/operator/drill.ts";
import { command, group } from "../command.ts";
import { printResult } from "../output.ts";

export function drillCommand(): Command {
  return group(
    "drill",
    "end the drill of a restored copy, on the database itself",
    command(
      "end",
      "let the next start of a service on the copy send webhooks and mail, and make backups and certificates",
      "plantstore drill end",
    ).action(async ({ json }: { readonly json?: boolean }) => {
      await endDrill();
      printResult(json, { drill: false }, "the drill has ended; restart a service that runs on this database");
    }),
  );
}
