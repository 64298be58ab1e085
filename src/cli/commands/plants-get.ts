import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { printJson } from "../output.ts";
import { typedId } from "../plant-id.ts";
import { plantRecord, printPlants } from "../plant-output.ts";

interface GetOptions extends ClientCommandOptions {
  readonly id?: string;
}

export function getCommand(): Command {
  return clientCommand("get", "show a plant", "plantstore plants get 42 --json")
    .argument("[id]", "its id")
    .option("--id <id>", "its id, as in --id=-5")
    .action(async (argument: string | undefined, options: GetOptions) => {
      const plant = await connect(options).get(typedId(argument, options.id));
      if (options.json) printJson(plantRecord(plant));
      else printPlants([plant]);
    });
}
