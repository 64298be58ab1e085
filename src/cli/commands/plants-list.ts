import { type Command, Option } from "commander";
import type { ListQuery } from "#client/page.ts";
import type { StoredPlant } from "#client/plant.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { printNote } from "../output.ts";
import { printPlants, printPlantsJson } from "../plant-output.ts";
import { wholeNumber } from "../whole-number.ts";

interface ListOptions extends ClientCommandOptions, ListQuery {
  readonly limit: number;
  readonly all?: boolean;
}

const SHOWN_DEFAULT = 100;
const PAGE_SIZE_MAX = 1000;

export function listCommand(): Command {
  const order = new Option("--order <order>", "by id, or newest first").choices(["id", "-created_at"]).default("id");
  return clientCommand("list", "list or search plants", "plantstore plants list --tag indoor --q monstera")
    .option("--tag <tag>", "only this tag; --tag= finds the empty one")
    .option("--q <text>", "only names with all these words in them, upper and lower case alike")
    .addOption(order)
    .option("--limit <count>", "as many plants at most", wholeNumber("--limit", { min: 1 }), SHOWN_DEFAULT)
    .option("--all", "all of them")
    .action(async (options: ListOptions) => {
      const { tag, q, order } = options;
      const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
      const plants = connect(options).list({ tag, q, order, pageSize: Math.min(limit + 1, PAGE_SIZE_MAX) });
      await (options.json ? printPlantsJson(first(plants, limit)) : printTables(first(plants, limit)));
    });
}

async function* first(plants: AsyncIterable<StoredPlant>, limit: number): AsyncGenerator<StoredPlant> {
  let count = 0;
  for await (const plant of plants) {
    if (count++ === limit) return printNote("There are more; --limit and --all show them");
    yield plant;
  }
}

/** A table for each thousand, so that a long list shows itself at once and is never held whole. */
async function printTables(plants: AsyncIterable<StoredPlant>): Promise<void> {
  let rows: StoredPlant[] = [];
  for await (const plant of plants) {
    rows.push(plant);
    if (rows.length < PAGE_SIZE_MAX) continue;
    printPlants(rows);
    rows = [];
  }
  if (rows.length > 0) printPlants(rows);
}
