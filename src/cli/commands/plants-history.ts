import { createInterface } from "node:readline";
import type { Command } from "commander";
import { PlantstoreError } from "#client/error.ts";
import type { PlantEvent } from "#client/event.ts";
import type { StoredPlant } from "#client/plant.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { counted } from "#contract/counted.ts";
import { MEMBER_NAMES, OPTIONAL_NAMES, textsOf } from "#contract/plant-members.ts";
import { STANDARD } from "../bulk-file.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../command.ts";
import { type Columns, first, printJson, printJsonArray, printLine, printNote, printTable } from "../output.ts";
import { readId, typedId, wholeNumber } from "../typed-values.ts";

const SHOWN_DEFAULT = 100;

interface HistoryOptions extends ClientCommandOptions {
  readonly id?: string;
  readonly limit: number;
  readonly all?: boolean;
}

export function historyCommand(): Command {
  return clientCommand("history", "show what happened to a plant, newest first", "plantstore plants history 42")
    .argument("[id]", "its id")
    .option("--id <id>", "its id, as in --id=-5")
    .option("--limit <count>", "as many events at most", wholeNumber("--limit", { min: 1 }), SHOWN_DEFAULT)
    .option("--all", "all that are kept")
    .action(async (argument: string | undefined, options: HistoryOptions) => {
      const limit = options.all ? Number.POSITIVE_INFINITY : options.limit;
      const events = first(connect(options).history(typedId(argument, options.id)), limit);
      if (options.json) return printJsonArray(events, eventRecord);
      let isFirst = true;
      for await (const event of events) {
        printTable([event], COLUMNS, isFirst);
        isFirst = false;
      }
      if (isFirst) printNote("Nothing that is kept happened to it");
    });
}

/** The first two columns are as wide in each row. */
const COLUMNS: Columns<PlantEvent> = {
  TIME: ({ timestamp }) => timestamp.toISOString(),
  EVENT: ({ type }) => type.slice("plant.".length),
  WHAT: ({ plant, previous }) => (plant ? shownTexts(plant, previous) : ""),
};

/** The members that a change changed, or the plant as it was. */
function shownTexts(plant: StoredPlant, previous: PlantEvent["previous"]): string {
  if (previous) {
    const changed = MEMBER_NAMES.filter((member) => previous[member] !== undefined);
    return changed.map((member) => `${member}: ${shown(previous[member])} → ${shown(plant[member])}`).join(", ");
  }
  const others = OPTIONAL_NAMES.filter((member) => plant[member] !== undefined);
  return [shown(plant.name), ...others.map((member) => `${member}: ${shown(plant[member])}`)].join(", ");
}

function shown(text: string | null | undefined): string {
  return typeof text === "string" ? JSON.stringify(text) : "none";
}

/** An event in the shape of the API. */
function eventRecord({ id, type, timestamp, plantId, plant, previous }: PlantEvent) {
  return { id, type, timestamp, plant_id: String(plantId), ...(plant && textsOf(plant)), previous };
}

interface RestoreOptions extends ClientCommandOptions {
  readonly id?: string;
}

export function restoreCommand(): Command {
  return clientCommand(
    "restore",
    "add removed plants again as they were, under their ids",
    "plantstore plants restore 42 43",
    "plantstore plants restore < ids.txt",
  )
    .argument("[ids...]", `their ids; without one, or with ${STANDARD}, they are the lines of standard input`)
    .option("--id <id>", "an id, as in --id=-5")
    .action(async (given: string[], options: RestoreOptions) => {
      const ids = idsOf(options.id === undefined ? given : [...given, options.id]);
      const done: Restored[] = [];
      const refused: Refused[] = [];
      for await (const outcome of restored(connect(options), ids)) {
        if (!options.json) tell(outcome);
        if ("error" in outcome) refused.push(outcome);
        else done.push(outcome);
      }
      if (options.json && (done.length > 0 || refused.length === 0)) printJson(done);
      requireNone(refused, options);
    });
}

function requireNone([first, ...others]: readonly Refused[], { json }: RestoreOptions): void {
  if (!first) return;
  const { id, error } = first;
  const problem = `${counted(1 + others.length, "plant")} could not be restored`;
  throw new Error(json ? `${problem}; ${id}: ${error.message}` : problem, { cause: error });
}

type Restored = Awaited<ReturnType<typeof restore>>;
interface Refused {
  readonly id: bigint;
  readonly error: Error;
}

function tell(outcome: Restored | Refused): void {
  if ("error" in outcome) printNote(`${outcome.id}  ${outcome.error.message}`);
  else printLine(`${outcome.id}  ${outcome.name}${outcome.replayed ? "  was there already" : ""}`);
}

function idsOf(given: readonly string[]): AsyncIterable<bigint> | Iterable<bigint> {
  return given.length === 0 || given[0] === STANDARD ? standardInput() : given.map(readId);
}

async function* standardInput(): AsyncGenerator<bigint> {
  for await (const line of createInterface({ input: process.stdin })) if (line.trim() !== "") yield readId(line.trim());
}

/** Restores one after the other. One that cannot be restored does not stop the others. */
async function* restored(
  client: PlantstoreClient,
  ids: AsyncIterable<bigint> | Iterable<bigint>,
): AsyncGenerator<Restored | Refused> {
  for await (const id of ids) {
    try {
      yield await restore(client, id);
    } catch (error) {
      if (!(error instanceof NothingKept || isOfThisPlant(error))) throw error;
      yield { id, error };
    }
  }
}

class NothingKept extends Error {}

/** The id is taken. Any other refusal would meet the next plant too. */
function isOfThisPlant(error: unknown): error is PlantstoreError {
  return error instanceof PlantstoreError && error.code === "id-taken";
}

async function restore(client: PlantstoreClient, id: bigint) {
  for await (const { plant } of client.history(id, { types: ["plant.removed"], pageSize: 1 })) {
    if (!plant) break;
    const texts = textsOf(plant);
    const { replayed } = await client.create({ id, ...texts });
    return { id, ...texts, replayed };
  }
  throw new NothingKept("No removal of it is kept, so nothing says what it was");
}
