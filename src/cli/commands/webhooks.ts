import { type Command, Option } from "commander";
import type { CallOptions } from "#client/call-options.ts";
import type { EventType } from "#client/event.ts";
import type {
  DeliveryQuery,
  NewWebhook,
  WebhookChange,
  WebhookDelivery,
  WebhookEndpoint,
  WebhookReplay,
  WebhooksClient,
} from "#client/webhooks.ts";
import { PAGE_LIMIT } from "#contract/limits.ts";
import { DELIVERY_TYPES } from "#contract/v1/delivery-query.ts";
import { OVERLAP_FORMS, parseOverlap } from "#contract/v1/webhook-body.ts";
import { DELIVERY_STATUSES, WEBHOOK_DELIVERY_MODES } from "#core/webhook.ts";
import { type ClientCommandOptions, clientCommand, connect, group, withAnswer } from "../command.ts";
import { type Columns, printJson, printLine, printNote, printResult, printTable } from "../output.ts";
import { UsageError } from "../report.ts";
import { limitOption } from "../typed-values.ts";
import { typeArgument, typeOption } from "./events.ts";

export function webhooksCommand(): Command {
  const description = "webhook endpoints; the token needs the scopes webhooks:manage and plants:read";
  return group("webhooks", description, ...endpointCommands(), ...deliveryCommands());
}

function endpointCommands(): Command[] {
  return [
    clientCommand(
      "add",
      "add an endpoint; prints its secret, this once",
      "plantstore webhooks add https://shop.example.com/plants",
    )
      .argument("<address>", "an https address")
      .addOption(typeOption())
      .option("--description <text>", "what it is for")
      .addOption(deliveryOption())
      .option(
        "--from <cursor>",
        "start after this cursor of the feed, or this event; by default with what happens from now on",
      )
      .action(async (url: string, options: EndpointOptions) => {
        const { type: events, description, delivery, from } = options;
        const endpoint = await ask(options, (webhooks, raw) =>
          webhooks.create({ url, events, description, delivery, from }, raw),
        );
        if (!endpoint) return;
        const start =
          from === undefined || from === "now" ? "what happens from now on" : "what happened after the cursor";
        printNote(`${endpoint.id} is told of ${start}. Its secret is shown this once:`);
        printLine(endpoint.secret);
      }),
    clientCommand("list", "list the endpoints", "plantstore webhooks list").action(
      async (options: ClientCommandOptions) => {
        const endpoints = await ask(options, (webhooks, raw) => webhooks.list(raw));
        if (endpoints) printTable(endpoints, ENDPOINT_COLUMNS);
      },
    ),
    endpointCommand("edit", "change, disable or enable an endpoint", "plantstore webhooks edit we_… --enable")
      .option("--address <url>", "its new address")
      .addOption(typeOption())
      .option("--description <text>", "what it is for")
      .addOption(deliveryOption())
      .addOption(new Option("--enable", "deliver again").conflicts("disable"))
      .option("--disable", "deliver nothing; its position stays")
      .addOption(new Option("--resume <where>", "with --enable: where to go on").choices(["where_it_stopped", "now"]))
      .action(async (id: string, options: EndpointOptions) => {
        const endpoint = await ask(options, (webhooks, raw) => webhooks.change(id, changeOf(options), raw));
        if (endpoint) printTable([endpoint], ENDPOINT_COLUMNS);
      }),
    endpointCommand("remove", "remove an endpoint with its log", "plantstore webhooks remove we_…").action(
      async (id: string, options: ClientCommandOptions) => {
        await connect(options).webhooks.remove(id);
        printResult(options.json, { id }, `${id} is removed`);
      },
    ),
  ];
}

function deliveryCommands(): Command[] {
  return [
    endpointCommand("test", "send a test event now", "plantstore webhooks test we_…")
      .addArgument(typeArgument("[type]"))
      .action(async (id: string, type: EventType | undefined, options: ClientCommandOptions) => {
        const delivery = await ask(options, async (webhooks, raw) => {
          const sent = await webhooks.test(id, type, raw);
          if (sent.status !== "succeeded") process.exitCode = 1;
          return sent;
        });
        if (delivery) printTable([delivery], DELIVERY_COLUMNS);
      }),
    endpointCommand("roll", "make a new secret; prints it, this once", "plantstore webhooks roll we_… --overlap 24h")
      .addOption(overlapOption())
      .action(async (id: string, options: ClientCommandOptions & { readonly overlap: string }) => {
        const endpoint = await ask(options, (webhooks, raw) => webhooks.rollSecret(id, options.overlap, raw));
        if (endpoint) printLine(endpoint.secret);
      }),
    endpointCommand("replay", "deliver events again", "plantstore webhooks replay we_… --event evt_…")
      .option("--from <position>", "a cursor of the feed, or the id of the first event")
      .option("--to <position>", "a cursor, or the id of the last event; by default up to now")
      .addOption(typeOption())
      .option("--failed", "only what failed for good")
      .addOption(new Option("--event <id...>", "these events").conflicts(["from", "to", "type", "failed"]))
      .action(async (id: string, options: ReplayOptions) => {
        const { from, to, type: types, failed, event: events } = options;
        if (from === undefined && events === undefined) throw new UsageError("Say which events: --from or --event");
        const only = failed ? ("failed" as const) : undefined;
        const replay = await connect(options).webhooks.replay(id, events ? { events } : { from, to, types, only });
        printResult(options.json, { replay }, `${replay} has begun`);
      }),
    endpointCommand("deliveries", "show the log, newest first", "plantstore webhooks deliveries we_… --status waiting")
      .addOption(
        new Option("--status <status>", "only these; waiting: failed, and to be sent again").choices(DELIVERY_STATUSES),
      )
      .addOption(new Option("--type <type>", "only events of this type").choices(DELIVERY_TYPES))
      .option("--event <id>", "only this event")
      .addOption(limitOption("deliveries at most", PAGE_LIMIT))
      .action(async (id: string, options: ClientCommandOptions & DeliveryQuery) => {
        const { status, type, event, limit } = options;
        const page = await ask(options, (webhooks, raw) =>
          webhooks.deliveries(id, { status, type, event, limit }, raw),
        );
        if (page) printTable(page.deliveries, DELIVERY_COLUMNS);
      }),
  ];
}

/** The result of a call. With `--json` the answer is printed as it was sent, and nothing is left to be printed. */
async function ask<Result>(
  options: ClientCommandOptions,
  call: (webhooks: WebhooksClient, raw: CallOptions) => Promise<Result>,
): Promise<Result | undefined> {
  const { webhooks } = connect(options);
  const { result, json } = await withAnswer((raw) => call(webhooks, raw));
  if (!options.json) return result;
  const answer = JSON.parse(json);
  // For a list, print its entries only.
  printJson(answer.data ?? answer);
  return undefined;
}

type GivenMembers = Pick<NewWebhook & WebhookChange, "description" | "delivery" | "from" | "resume">;
interface EndpointOptions extends ClientCommandOptions, GivenMembers {
  readonly type?: EventType[];
  readonly address?: string;
  readonly enable?: boolean;
  readonly disable?: boolean;
}

function endpointCommand(name: string, description: string, example: string): Command {
  return clientCommand(name, description, example).argument("<id>", "the endpoint's id, as `webhooks list` shows it");
}

function deliveryOption(): Option {
  return new Option("--delivery <mode>", "a request for each event, or a notice a second").choices(
    WEBHOOK_DELIVERY_MODES,
  );
}

function overlapOption(): Option {
  return new Option("--overlap <time>", `how long the secret before signs too: ${OVERLAP_FORMS}`)
    .default("24h")
    .argParser((text) => {
      if (parseOverlap(text) !== undefined) return text;
      throw new UsageError(`--overlap must be ${OVERLAP_FORMS}, and is ${JSON.stringify(text)}`);
    });
}

function changeOf(options: EndpointOptions): WebhookChange {
  const { address: url, type: events, description, delivery, resume } = options;
  const enabled = options.enable ? true : options.disable ? false : undefined;
  const change = { url, events, description, delivery, enabled, resume };
  if (resume && !enabled) throw new UsageError("--resume says where --enable goes on; give both");
  if (Object.values(change).some((member) => member !== undefined)) return change;
  throw new UsageError("Say what to change: --address, --type, --description, --delivery, --enable or --disable");
}

interface ReplayOptions extends ClientCommandOptions, Pick<WebhookReplay, "from" | "to"> {
  readonly type?: EventType[];
  readonly failed?: boolean;
  readonly event?: string[];
}

const ENDPOINT_COLUMNS: Columns<WebhookEndpoint> = {
  ID: ({ id }) => id,
  STATUS: ({ status, reason }) => (reason ? `${status} (${reason})` : status),
  BEHIND: ({ lagSeconds }) => `${Math.round(lagSeconds)} s`,
  DELIVERY: ({ delivery }) => delivery,
  ADDRESS: ({ url }) => url,
  DESCRIPTION: ({ description }) => description,
};

const DELIVERY_COLUMNS: Columns<WebhookDelivery> = {
  TIME: ({ at }) => at.toISOString(),
  STATUS: ({ status }) => status,
  ANSWER: ({ httpStatus, error }) => String(httpStatus ?? error ?? ""),
  MS: ({ ms }) => String(ms),
  ATTEMPT: ({ attempt }) => String(attempt),
  TYPE: ({ type }) => type,
  EVENT: ({ event }) => event,
};
