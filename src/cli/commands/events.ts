import { Argument, type Command, Option } from "commander";
import type { EventType, PlantEvent, StreamedEvent } from "#client/event.ts";
import type { PlantstoreClient } from "#client/plantstore-client.ts";
import { counted } from "#contract/counted.ts";
import { PAGE_LIMIT } from "#contract/limits.ts";
import { EVENT_TYPES } from "#core/event.ts";
import { type ClientCommandOptions, clientCommand, connect, group, withAnswer } from "../command.ts";
import { Forwarder } from "../event-forwarder.ts";
import { untilInterrupted } from "../interrupt.ts";
import { type Columns, printLine, printNote, printResult, printTable } from "../output.ts";
import { limitOption } from "../typed-values.ts";

interface EventOptions extends ClientCommandOptions {
  readonly type?: EventType[];
  readonly cursor?: string;
}

export function eventsCommand(): Command {
  return group(
    "events",
    "read and follow the feed of changes",
    clientCommand("list", "show a page of the feed", "plantstore events list --type plant.removed")
      .addOption(typeOption())
      .option("--cursor <cursor>", "where to go on, as an earlier page says; by default at the oldest event")
      .addOption(limitOption("events at most", PAGE_LIMIT))
      .action(async (options: EventOptions & { readonly limit: number }) => {
        const { type: types, cursor, limit } = options;
        const { result: page, json } = await withAnswer((raw) =>
          connect(options).eventPage({ types, cursor, limit }, raw),
        );
        if (options.json) return printLine(json);
        printTable(page.events, COLUMNS);
        printNote(`Go on with --cursor ${page.nextCursor}`);
      }),
    clientCommand("tail", "follow the feed until Ctrl-C", "plantstore events tail --type plant.created --json")
      .addOption(typeOption())
      .option("--cursor <cursor>", "where to go on; by default only what happens from now on", "latest")
      .action((options: EventOptions) =>
        follow(connect(options), options, "shown", async (event, isFirst) => show(event, isFirst, options)),
      ),
  );
}

export function typeOption(): Option {
  return new Option("--type <type...>", "only events of these types").choices(EVENT_TYPES);
}

/** `name` is "<type>", or "[type]" where there need be none. */
export function typeArgument(name: string): Argument {
  return new Argument(name, "the type of the event").choices(EVENT_TYPES);
}

const COLUMNS: Columns<PlantEvent> = {
  TIME: ({ timestamp }) => timestamp.toISOString(),
  TYPE: ({ type, test }) => (test ? `${type} (test)` : type),
  PLANT: ({ plantId }) => String(plantId),
  NAME: ({ plant }) => plant?.name ?? "",
  EVENT: ({ id }) => id,
};

/** Prints one event of several that come one by one: the titles stand above the first alone. */
function show(event: StreamedEvent, isFirst: boolean, { json }: ClientCommandOptions): void {
  if (json) printLine(event.json);
  else printTable([event], COLUMNS, isFirst);
}

/** Acts on each event until Ctrl-C, which says up to where that was `done`. */
async function follow(
  client: PlantstoreClient,
  options: EventOptions,
  done: string,
  act: (event: StreamedEvent, isFirst: boolean) => Promise<void>,
): Promise<void> {
  let isFirst = true;
  /** The last one with a place in the feed, which a test event has not. */
  let last: StreamedEvent | undefined;
  await untilInterrupted(
    async (signal) => {
      const query = { types: options.type, cursor: options.cursor };
      for await (const event of client.events(query, { signal })) {
        await act(event, isFirst);
        isFirst = false;
        if (event.cursor !== "") last = event;
      }
    },
    () =>
      last === undefined
        ? `No event was ${done}`
        : `Everything up to ${last.id} was ${done}; go on with --cursor ${last.cursor}`,
  );
}

interface ListenOptions extends EventOptions {
  readonly forwardTo?: string;
  readonly printSecret?: boolean;
}

export function listenCommand(): Command {
  return clientCommand(
    "listen",
    "follow the feed and forward each event to a receiver on this machine, as a webhook",
    "plantstore listen --forward-to http://127.0.0.1:4000/hooks",
  )
    .option("--forward-to <url>", "an http address on this machine")
    .addOption(typeOption())
    .option("--cursor <cursor>", "where to go on; by default only what happens from now on", "latest")
    .option("--print-secret", "print the secret that signs, and end")
    .action(async (options: ListenOptions) => {
      const client = connect(options);
      const forwarder = new Forwarder(options.token ?? "", options.forwardTo);
      const { secret } = forwarder;
      if (options.printSecret) return printResult(options.json, { secret }, secret);
      // A program asks for it by itself, and reads what fails as JSON on the same stream.
      if (!options.json) printNote(`The secret is ${secret}: the same at every start with this token. Ctrl-C ends.`);
      await follow(client, options, forwarder.forwards ? "forwarded" : "shown", async (event, isFirst) => {
        if (!forwarder.forwards) return show(event, isFirst, options);
        const { id, type } = event;
        const { status, ms } = await forwarder.forward(event);
        if (options.json) printLine(JSON.stringify({ id, type, status, ms }));
        else printLine(`${id}  ${type}  ${status}  ${ms} ms`);
      });
    });
}

export function triggerCommand(): Command {
  return clientCommand(
    "trigger",
    "send a test event to everyone who listens with this account, on the node that answers",
    "plantstore trigger plant.created",
  )
    .addArgument(typeArgument("<type>"))
    .action(async (type: EventType, options: ClientCommandOptions) => {
      const sent = await connect(options).sendTestEvent(type);
      const line =
        sent.streams === 0
          ? `${sent.id} was sent, but nobody listens; start \`plantstore listen\``
          : `${sent.id} was sent to ${counted(sent.streams, "listener")}`;
      printResult(options.json, sent, line);
    });
}
