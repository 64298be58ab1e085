import type { Command } from "commander";
import type { EventType } from "#client/event.ts";
import { counted } from "#contract/counted.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { eventType } from "../event-output.ts";
import { printJson, printLine } from "../output.ts";

export function triggerCommand(): Command {
  return clientCommand(
    "trigger",
    "send a test event to everyone who listens with this account, on the node that answers",
    "plantstore trigger plant.created",
  )
    .argument("<type>", "the type of the event", eventType)
    .action(async (type: EventType, options: ClientCommandOptions) => {
      const sent = await connect(options).sendTestEvent(type);
      if (options.json) printJson(sent);
      else if (sent.streams === 0) printLine(`${sent.id} was sent, but nobody listens; start \`plantstore listen\``);
      else printLine(`${sent.id} was sent to ${counted(sent.streams, "listener")}`);
    });
}
