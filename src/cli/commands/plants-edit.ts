import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { printJson, printLine } from "../output.ts";
import { typedId } from "../plant-id.ts";
import { plantRecord, printPlants } from "../plant-output.ts";
import { UsageError } from "../report.ts";

interface EditOptions extends ClientCommandOptions {
  readonly id?: string;
  readonly name?: string;
  /** False means `--no-tag`. */
  readonly tag?: string | false;
  readonly ifMatch?: string;
}

export function editCommand(): Command {
  return clientCommand("edit", "change a plant's name or tag", 'plantstore plants edit 42 --name "Swiss cheese plant"')
    .argument("[id]", "its id")
    .option("--id <id>", "its id, as in --id=-5")
    .option("--name <name>", "its new name")
    .option("--tag <tag>", "its new tag")
    .option("--no-tag", "take its tag away")
    .option("--if-match <etag>", "only if this is still its version, as `get --json` shows it")
    .action(async (argument: string | undefined, options: EditOptions) => {
      const { name, tag, ifMatch, json } = options;
      const id = typedId(argument, options.id);
      if (name === undefined && tag === undefined)
        throw new UsageError("Say what to change: --name, --tag or --no-tag");
      const plant = await connect(options).change(id, { name, tag: tag === false ? null : tag }, { ifMatch });
      if (!plant && !json) return printLine(`${id}  changed`);
      if (json) printJson(plant ? plantRecord(plant) : { id, changed: true });
      else if (plant) printPlants([plant]);
    });
}
