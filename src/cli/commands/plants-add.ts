import type { Command } from "commander";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { printJson, printLine } from "../output.ts";
import { typedId } from "../plant-id.ts";
import { UsageError } from "../report.ts";

interface AddOptions extends ClientCommandOptions {
  readonly id?: string;
  readonly name?: string;
  readonly tag?: string;
}

export function addCommand(): Command {
  return clientCommand("add", "add a plant", 'plantstore plants add 42 "Monstera deliciosa" indoor')
    .usage("[options] <id> <name> [tag]")
    .argument("[values...]", "id, name and tag, less those given as options")
    .option("--id <id>", "its id, any int64, as in --id=-5")
    .option("--name <name>", "its name")
    .option("--tag <tag>", "its type; none by default")
    .action(async (values: string[], options: AddOptions) => {
      const plant = typedPlant(values, options);
      const { replayed } = await connect(options).create(plant);
      if (options.json) printJson({ ...plant, replayed });
      else printLine(`${plant.id}  ${plant.name}${replayed ? "  was there already" : ""}`);
    });
}

/** Values without an option's name fill, in order, the fields that the options leave open. */
function typedPlant(values: readonly string[], options: AddOptions) {
  const rest = [...values];
  const id = typedId(options.id ?? rest.shift(), undefined);
  const name = options.name ?? rest.shift();
  const tag = options.tag ?? rest.shift();
  if (name === undefined) throw new UsageError('Give a name, as in `plantstore plants add 42 "Monstera deliciosa"`');
  if (rest.length > 0)
    throw new UsageError(`There is nothing to make of ${JSON.stringify(rest[0])}; quote what belongs together`);
  return { id, name, tag };
}
