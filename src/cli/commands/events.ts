import { Command } from "commander";
import type { EventType } from "#client/event.ts";
import { PAGE_LIMIT_DEFAULT, PAGE_LIMIT_MAX } from "#contract/limits.ts";
import { type ClientCommandOptions, clientCommand, connect, withAnswer } from "../client-command.ts";
import { EVENT_COLUMNS, FeedPosition, printEvent, typeOption } from "../event-output.ts";
import { untilInterrupted } from "../interrupt.ts";
import { limitOption } from "../limit-option.ts";
import { printLine, printNote, printTable } from "../output.ts";

interface EventOptions extends ClientCommandOptions {
  readonly type?: EventType[];
  readonly cursor?: string;
}

export function eventsCommand(): Command {
  const events = new Command("events").description("read and follow the feed of changes");
  events.addCommand(listCommand());
  events.addCommand(tailCommand());
  return events;
}

function listCommand(): Command {
  return clientCommand("list", "show a page of the feed", "plantstore events list --type plant.removed")
    .addOption(typeOption())
    .option("--cursor <cursor>", "where to go on, as an earlier page says; by default at the oldest event")
    .addOption(limitOption("events at most", PAGE_LIMIT_MAX, PAGE_LIMIT_DEFAULT))
    .action(async (options: EventOptions & { readonly limit: number }) => {
      const { type: types, cursor, limit } = options;
      const { result: page, json } = await withAnswer((raw) =>
        connect(options).eventPage({ types, cursor, limit }, raw),
      );
      if (options.json) return printLine(json);
      printTable(page.events, EVENT_COLUMNS);
      printNote(`Go on with --cursor ${page.nextCursor}`);
    });
}

function tailCommand(): Command {
  return clientCommand("tail", "follow the feed until Ctrl-C", "plantstore events tail --type plant.created --json")
    .addOption(typeOption())
    .option("--cursor <cursor>", "where to go on; by default only what happens from now on", "latest")
    .action(async (options: EventOptions) => {
      const { type: types, cursor } = options;
      const place = new FeedPosition();
      await untilInterrupted(
        async (signal) => {
          for await (const event of connect(options).events({ types, cursor }, { signal })) {
            if (options.json) printLine(event.json);
            else printEvent(event, place.isAtStart);
            place.reached(event);
          }
        },
        () => place.text("shown"),
      );
    });
}
