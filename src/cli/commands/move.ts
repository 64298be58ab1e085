import type { Command } from "commander";
import { command } from "../command.ts";
import { printRows } from "../output.ts";
import { ProgressLine } from "../progress.ts";
import { secretOption } from "../secrets.ts";

interface MoveCommandOptions {
  readonly from: string;
  readonly to: string;
  readonly replace?: boolean;
  readonly json?: boolean;
}

export function moveCommand(): Command {
  return (
    command(
      "move",
      "make one database a copy of another, checked; no service may run on either",
      "plantstore move --from sqlite:data/plantstore.db --to postgres://db.example.com/plantstore",
    )
      // Addresses may come from the environment, so that a password does not appear in lists of processes.
      .addOption(
        secretOption("--from <url>", "the database to copy, as in DATABASE_URL").env("MOVE_FROM").makeOptionMandatory(),
      )
      .addOption(secretOption("--to <url>", "the database that becomes the copy").env("MOVE_TO").makeOptionMandatory())
      .option(
        "--replace",
        "give up all that the target holds, without which a target with people, stores or plants is refused",
      )
      .action(async ({ from, to, replace = false, json }: MoveCommandOptions) => {
        let line: ProgressLine | undefined;
        const onProgress = (rows: number, rowsTotal: number) => {
          line ??= new ProgressLine("row", rowsTotal);
          line.reached(rows, rows);
        };
        const { moveDatabase } = await import("#server/operator/move.ts");
        const moved = await moveDatabase({ from, to, replace, onProgress }).finally(() => line?.clear());
        printRows(json, moved, {
          TABLE: ({ table }) => table,
          ROWS: ({ rows }) => String(rows),
          CHECKSUM: ({ checksum }) => checksum,
        });
      })
  );
}
