import type { Command } from "commander";
import type { EventType, StreamedEvent } from "#client/event.ts";
import { type ClientCommandOptions, clientCommand, connect } from "../client-command.ts";
import { Forwarder } from "../event-forwarder.ts";
import { FeedPosition, printEvent, typeOption } from "../event-output.ts";
import { untilInterrupted } from "../interrupt.ts";
import { printLine, printNote } from "../output.ts";

interface ListenOptions extends ClientCommandOptions {
  readonly forwardTo?: string;
  readonly type?: EventType[];
  readonly cursor: string;
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
      if (options.printSecret) return printLine(forwarder.secret);
      printNote(`The secret is ${forwarder.secret}: the same at every start with this token. Ctrl-C ends.`);
      const place = new FeedPosition();
      await untilInterrupted(
        async (signal) => {
          const query = { types: options.type, cursor: options.cursor };
          for await (const event of client.events(query, { signal })) {
            await tell(event, forwarder, { json: options.json, isFirst: place.isAtStart });
            place.reached(event);
          }
        },
        () => place.text(forwarder.forwards ? "forwarded" : "shown"),
      );
    });
}

interface Manner {
  readonly json: boolean | undefined;
  readonly isFirst: boolean;
}

async function tell(event: StreamedEvent, forwarder: Forwarder, { json, isFirst }: Manner): Promise<void> {
  const { id, type } = event;
  if (!forwarder.forwards) return json ? printLine(event.json) : printEvent(event, isFirst);
  const { status, ms } = await forwarder.forward(event);
  if (json) printLine(JSON.stringify({ id, type, status, ms }));
  else printLine(`${id}  ${type}  ${status}  ${ms} ms`);
}
