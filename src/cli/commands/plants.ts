import { type Command, Option } from "commander";
import type { ListQuery } from "#client/page.ts";
import type { PlantTexts, StoredPlant } from "#client/plant.ts";
import {
  ALL_MEMBERS,
  ANY_MEMBER,
  MEMBER_NAMES,
  OPTIONAL_NAMES,
  type OptionalMember,
  PLANT_MEMBERS,
  textsOf,
  withOptional,
} from "#contract/plant-members.ts";
import { type ClientCommandOptions, clientCommand, connect, group } from "../command.ts";
import {
  type Columns,
  first,
  printJson,
  printJsonArray,
  printLine,
  printResult,
  printRows,
  printTable,
} from "../output.ts";
import { UsageError } from "../report.ts";
import { readId, typedId, wholeNumber } from "../typed-values.ts";
import { exportCommand } from "./plants-export.ts";
import { historyCommand, restoreCommand } from "./plants-history.ts";
import { importCommand } from "./plants-import.ts";
import { removeCommand } from "./plants-remove.ts";

const SHOWN_DEFAULT = 100;
const PAGE_SIZE_MAX = 1000;

interface PlantOptions extends ClientCommandOptions, Partial<PlantTexts> {
  readonly id?: string;
  readonly ifMatch?: string;
}

type ChangeOptions = Omit<PlantOptions, OptionalMember> & { readonly [Member in OptionalMember]?: string | false };

interface ListOptions extends ClientCommandOptions, ListQuery {
  readonly limit: number;
  readonly all?: boolean;
}

export function plantsCommand(): Command {
  const one = [
    newPlantCommand("add", "add a plant", 'plantstore plants add 42 "Monstera deliciosa" indoor').action(
      async (values: string[], options: PlantOptions) => {
        const plant = typedPlant(values, options);
        const { replayed } = await connect(options).create(plant);
        const line = `${plant.id}  ${plant.name}${replayed ? "  was there already" : ""}`;
        printResult(options.json, { ...plant, replayed }, line);
      },
    ),
    newPlantCommand(
      "put",
      "add a plant, or replace the one with its id",
      'plantstore plants put 42 "Monstera deliciosa" indoor',
    )
      .option("--if-match <etag>", "only if this is still its version, as `get --json` shows it")
      .option("--only-new", "only if there is none with its id")
      .action(put),
    clientCommand("get", "show plants", "plantstore plants get 42 --json", "plantstore plants get 42 43")
      .argument("[ids...]", "their ids")
      .option("--id <id>", "an id, as in --id=-5")
      .action(get),
    clientCommand("list", "list or search plants", "plantstore plants list --tag indoor --q monstera")
      .option("--tag <tag>", "only this tag; --tag= finds the empty one")
      .option("--q <text>", "only names with all these words in them, whatever their case and accents")
      .addOption(new Option("--order <order>", "by id, or newest first").choices(["id", "-created_at"]).default("id"))
      .option("--limit <count>", "as many plants at most", wholeNumber("--limit", { min: 1 }), SHOWN_DEFAULT)
      .option("--all", "all of them")
      .action(list),
    editCommand(),
    removeCommand(),
  ];
  const description = "work with plants over the API, as any client does";
  return group("plants", description, ...one, historyCommand(), restoreCommand(), importCommand(), exportCommand());
}

/** The id and the texts of a plant, as values or as options. */
function newPlantCommand(...words: Parameters<typeof clientCommand>): Command {
  const usage = PLANT_MEMBERS.map(({ name, isRequired }) => (isRequired ? `<${name}>` : `[${name}]`));
  const made = clientCommand(...words)
    .usage(`[options] <id> ${usage.join(" ")}`)
    .argument("[values...]", `id, ${ALL_MEMBERS}, less those given as options`)
    .option("--id <id>", "its id, any int64, as in --id=-5");
  for (const { name, isRequired, meaning } of PLANT_MEMBERS)
    made.option(`--${name} <${name}>`, isRequired ? meaning : `${meaning}; none by default`);
  return made;
}

function editCommand(): Command {
  const example = 'plantstore plants edit 42 --name "Swiss cheese plant"';
  const made = plantCommand("edit", `change a plant's ${ANY_MEMBER}`, example);
  for (const member of MEMBER_NAMES) made.option(`--${member} <${member}>`, `its new ${member}`);
  for (const member of OPTIONAL_NAMES) made.option(`--no-${member}`, `take its ${member} away`);
  return made
    .option("--if-match <etag>", "only if this is still its version, as `get --json` shows it")
    .action(async (argument: string | undefined, options: ChangeOptions) => {
      const { name, ifMatch, json } = options;
      const id = typedId(argument, options.id);
      const change = withOptional({ name }, (member) => (options[member] === false ? null : options[member]));
      if (MEMBER_NAMES.every((member) => change[member] === undefined)) throw nothingToChange();
      const plant = await connect(options).change(id, change, { ifMatch });
      if (json) printJson(plant ? plantRecord(plant) : { id, changed: true });
      else if (plant) printTable([plant], COLUMNS);
      else printLine(`${id}  changed`);
    });
}

function nothingToChange(): UsageError {
  const options = [...MEMBER_NAMES, ...OPTIONAL_NAMES.map((member) => `no-${member}`)].map((name) => `--${name}`);
  return new UsageError(`Say what to change: ${options.slice(0, -1).join(", ")} or ${options.at(-1)}`);
}

/** Shows one plant, or of several those that are there. */
async function get(given: string[], options: PlantOptions): Promise<void> {
  const ids = (options.id === undefined ? given : [...given, options.id]).map(readId);
  const client = connect(options);
  if (ids.length <= 1) {
    const plant = await client.get(typedId(ids[0]?.toString(), undefined));
    if (options.json) printJson(plantRecord(plant));
    else printTable([plant], COLUMNS);
    return;
  }
  const plants: StoredPlant[] = [];
  for await (const plant of client.list({ ids })) plants.push(plant);
  if (plants.length > 0) printRows(options.json, plants, COLUMNS, plantRecord);
  const found = new Set(plants.map(({ id }) => id));
  const missing = [...new Set(ids)].filter((id) => !found.has(id));
  if (missing.length > 0) throw new Error(`There is no plant with the id ${missing.join(", ")}`);
}

async function put(values: string[], options: PlantOptions & { readonly onlyNew?: true }) {
  const plant = typedPlant(values, options);
  const { ifMatch, onlyNew, json } = options;
  const made = await connect(options).put(plant, { ifMatch, ifNoneMatch: onlyNew && "*" });
  const { created, replayed, etag } = made;
  const outcome = created ? "created" : replayed ? "was there already" : "replaced";
  printResult(json, { ...plant, created, replayed, etag }, `${plant.id}  ${plant.name}  ${outcome}`);
}

/** Values without an option's name fill, in order, the fields that the options leave open. */
function typedPlant(values: readonly string[], options: Partial<PlantTexts> & { readonly id?: string }) {
  const rest = [...values];
  const id = typedId(options.id ?? rest.shift(), undefined);
  const name = options.name ?? rest.shift();
  const others = withOptional({}, (member) => options[member] ?? rest.shift());
  if (name === undefined) throw new UsageError('Give a name, as in `plantstore plants add 42 "Monstera deliciosa"`');
  if (rest.length > 0)
    throw new UsageError(`There is nothing to make of ${JSON.stringify(rest[0])}; quote what belongs together`);
  return { id, name, ...others };
}

/** A command about one plant that is there. */
function plantCommand(...words: Parameters<typeof clientCommand>): Command {
  return clientCommand(...words)
    .argument("[id]", "its id")
    .option("--id <id>", "its id, as in --id=-5");
}

async function list(options: ListOptions): Promise<void> {
  const { tag, q, order } = options;
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
  const plants = connect(options).list({ tag, q, order, pageSize: Math.min(limit + 1, PAGE_SIZE_MAX) });
  await (options.json ? printJsonArray(first(plants, limit), plantRecord) : printTables(first(plants, limit)));
}

/** A table for each thousand, so that a long list shows itself at once and is never held whole. */
async function printTables(plants: AsyncIterable<StoredPlant>): Promise<void> {
  let rows: StoredPlant[] = [];
  for await (const plant of plants) {
    rows.push(plant);
    if (rows.length < PAGE_SIZE_MAX) continue;
    printTable(rows, COLUMNS);
    rows = [];
  }
  if (rows.length > 0) printTable(rows, COLUMNS);
}

const COLUMNS: Columns<StoredPlant> = {
  ID: ({ id }) => String(id),
  NAME: ({ name }) => name,
  ...Object.fromEntries(
    OPTIONAL_NAMES.map((member) => [member.toUpperCase(), (plant: StoredPlant) => plant[member] ?? ""]),
  ),
  ADDED: ({ createdAt }) => createdAt.toISOString(),
};

/** A plant in the shape of the API. */
function plantRecord(plant: StoredPlant) {
  const { id, createdAt, updatedAt, etag } = plant;
  return {
    id,
    plant_id: String(id),
    ...textsOf(plant),
    created_at: createdAt,
    updated_at: updatedAt,
    etag,
  };
}
