import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { printJson, printLine } from "../output.ts";
import { typedId } from "../plant-id.ts";

interface RemoveOptions extends ClientCommandOptions {
  readonly id?: string;
  readonly ifMatch?: string;
}

export function removeCommand(): Command {
  return clientCommand("remove", "remove a plant", "plantstore plants remove 42")
    .argument("[id]", "its id")
    .option("--id <id>", "its id, as in --id=-5")
    .option("--if-match <etag>", "only if this is still its version, as `get --json` shows it")
    .action(async (argument: string | undefined, options: RemoveOptions) => {
      const id = typedId(argument, options.id);
      await connect(options).remove(id, { ifMatch: options.ifMatch });
      if (options.json) printJson({ id, removed: true });
      else printLine(`${id}  removed`);
    });
}
