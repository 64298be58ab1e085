import { z } from "zod";
import { parseRetention } from "#backup/retention.ts";
import { DURATION_FORMS } from "#core/duration.ts";
import {
  duration,
  durationOrOff,
  httpAddress,
  listeningAddress,
  networks,
  originAddress,
  pairs,
  port,
  recipients,
} from "./setting-values.ts";

/** A setting that cannot be used; the message names it and says what would be right. */
export class InvalidSetting extends Error {}

/** Every setting, with its default and its meaning. The table in docs/settings.md is made from this. */
export const SETTINGS = {
  HOST: setting(z.string().min(1), "127.0.0.1", "an address or a host name", "The address to listen on."),
  PORT: setting(
    port(),
    "3000",
    "a number from 0 to 65535",
    "The port to listen on; 0 picks a free one, which is printed.",
  ),
  DATABASE_URL: secret(
    z.string().regex(/^(?:sqlite:.+|postgres(?:ql)?:\/\/.+)$/),
    "sqlite:data/plantstore.db",
    "sqlite:PATH or postgres://…",
    "Where everything is kept. A path is relative to the working directory, and its folder is made.",
  ),
  BASE_URL: setting(
    originAddress().optional(),
    undefined,
    "an http or https address without a path",
    "The public address, for links and cookies behind a proxy. By default that of each request.",
  ),
  TRUSTED_PROXIES: setting(
    networks(),
    "",
    "addresses or networks (10.0.0.0/8), separated by commas",
    "Whose forwarded headers count; from any other they are dropped.",
  ),
  SECRET: secret(
    z.string().min(32).optional(),
    undefined,
    "at least 32 characters",
    "Signs sessions and seals second factors; shared by all nodes. By default made once and kept in the database.",
  ),
  SIGNUP: setting(
    z.enum(["first", "open", "closed"]),
    "first",
    "first, open or closed",
    "Who may make an account: `first` only the first, by the link that the first start prints; `open` anyone; `closed` nobody.",
  ),
  RATE_LIMIT: setting(
    z.coerce.number().int().min(1).optional(),
    undefined,
    "a whole number of at least 1",
    "Requests a second for each token. Off by default.",
  ),
  BACKUP_TO: setting(
    z
      .string()
      .regex(/^(?![a-zA-Z][a-zA-Z0-9+.-]*:\/\/|s3:)|^s3:\/\/[a-z0-9][a-z0-9.-]+(?:\/.*)?$/)
      .optional(),
    undefined,
    "a folder or s3://BUCKET/PREFIX",
    "Where backups are kept: a folder or s3://BUCKET/PREFIX. Without it the server makes none.",
  ),
  BACKUP_EVERY: setting(
    duration(),
    "24h",
    DURATION_FORMS,
    "Between the backups that the server makes, give or take a twentieth.",
  ),
  BACKUP_KEEP: setting(
    z
      .string()
      .transform(parseRetention)
      .refine((rules) => rules !== undefined),
    "24h:7d,7d:5w,30d:12mo",
    "INTERVAL:DURATION, several separated by commas, as in 24h:7d,30d:12mo (a month is mo)",
    "The backups that are kept: the newest of each interval, for a duration. Never removed: the last verified one.",
  ),
  BACKUP_RECIPIENTS: secret(
    recipients(),
    "",
    "age public keys (age1…), separated by commas",
    "The age public keys that backups are encrypted for. The server can then make backups that it cannot read.",
  ),
  BACKUP_VERIFY: setting(
    z.enum(["weekly", "each", "never"]),
    "weekly",
    "weekly, each or never",
    "Restores and checks a backup: one a week, each, or none. Encrypted ones need BACKUP_IDENTITY.",
  ),
  BACKUP_IDENTITY: setting(
    z.string().optional(),
    undefined,
    "the path of a file",
    "A file with the age identity that reads encrypted backups, for BACKUP_VERIFY and the commands.",
  ),
  S3_ENDPOINT: setting(
    httpAddress().optional(),
    undefined,
    "an http or https address",
    "The address of the S3 store; Amazon's by default.",
  ),
  S3_REGION: setting(z.string().optional(), undefined, "a region", "The region of the S3 store."),
  S3_ACCESS_KEY_ID: setting(z.string().optional(), undefined, "an access key", "The access key of the S3 store."),
  S3_SECRET_ACCESS_KEY: secret(z.string().optional(), undefined, "a secret key", "The secret of that access key."),
  AUDIT_KEPT: setting(duration(), "400d", DURATION_FORMS, "How long entries of the audit log are kept."),
  SMTP_URL: secret(
    z
      .string()
      .regex(/^smtps?:\/\/.+$/)
      .refine((address) => URL.canParse(address))
      .optional(),
    undefined,
    "smtp://user:password@host:587 or smtps://…",
    "The mail server. With it addresses are verified, passwords recovered and holders told of changes by mail.",
  ),
  MAIL_FROM: setting(
    z.string().optional(),
    undefined,
    "an address such as Plants <plants@example.org>",
    "The sender of mail. By default plantstore at the host of BASE_URL.",
  ),
  EVENTS_KEPT: setting(
    durationOrOff(),
    "30d",
    `0, or ${DURATION_FORMS}`,
    "How long the feed of changes goes back; `0` turns it off, and webhooks with it.",
  ),
  REQUEST_LOG_KEPT: setting(
    durationOrOff(),
    "7d",
    `0, or ${DURATION_FORMS}`,
    "How long the request log of each account goes back; `0` turns it off.",
  ),
  REQUEST_LOG_MB: setting(
    z.coerce.number().int().min(1),
    "512",
    "a whole number of at least 1",
    "The size of the request log in MB; the oldest requests go first, of the account that has most.",
  ),
  REQUEST_LOG_SUCCESSES: setting(
    z.coerce.number().int().min(0).max(10_000),
    "10",
    "a whole number up to 10000",
    "The successful requests of an account that the log keeps in each second. Refused ones are all kept, up to 200.",
  ),
  REQUEST_LOG_BODIES: setting(
    z.enum(["on", "off"]),
    "on",
    "on or off",
    "Whether the log keeps the first KiB of a refused plant, with everything that looks like a token masked.",
  ),
  REQUEST_LOG_ADDRESSES: setting(
    z.enum(["off", "network", "full"]),
    "full",
    "off, network or full",
    "The clients' addresses in the request log: none, their networks (/24, /48), or whole.",
  ),
  WEBHOOKS: setting(z.enum(["on", "off"]), "on", "on or off", "Whether accounts may have webhook endpoints."),
  WEBHOOK_NETWORKS: setting(
    networks(),
    "",
    "addresses or networks (10.0.0.0/8), separated by commas",
    "Private networks that webhooks may call, also over http; by default only public addresses over https.",
  ),
  WEBHOOK_PROXY: setting(
    httpAddress().optional(),
    undefined,
    "an http or https address",
    "An egress proxy for webhooks, which then guards the network itself. `HTTP_PROXY` and the like are not obeyed.",
  ),
  TAKE_OVER: setting(
    z.enum(["0", "1"]).transform((text) => text === "1"),
    "0",
    "0 or 1",
    "`1` shares the port with the server that runs on the same SQLite database, takes over from it and lets it leave (Linux).",
  ),
  MCP: setting(z.enum(["on", "off"]), "off", "on or off", "Serves the Model Context Protocol at `/mcp`, for agents."),
  METRICS: setting(
    listeningAddress().optional(),
    undefined,
    "an address and a port, such as 127.0.0.1:9464",
    "Where Prometheus scrapes `/metrics`, such as `127.0.0.1:9464`. Off by default, and never on the public port.",
  ),
  METRICS_TOKEN: secret(
    z.string().min(16).optional(),
    undefined,
    "at least 16 characters",
    "A bearer token that a scrape must send, where METRICS can be reached by others.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: setting(
    httpAddress().optional(),
    undefined,
    "an http or https address",
    "An OpenTelemetry collector that gets the spans of sampled requests (OTLP over HTTP in JSON), such as `http://127.0.0.1:4318`.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: secret(pairs(), "", "NAME=VALUE, several separated by commas", "Sent to the collector."),
  OTEL_SERVICE_NAME: setting(
    z.string().optional(),
    undefined,
    "a name",
    "The service in spans; by default plantstore.",
  ),
  OTEL_RESOURCE_ATTRIBUTES: setting(
    pairs(),
    "",
    "NAME=VALUE, several separated by commas",
    "Attributes of the service in spans.",
  ),
  OTEL_TRACES_SAMPLER_ARG: setting(
    z.coerce.number().min(0).max(1),
    "0.01",
    "a number from 0 to 1",
    "The part of the requests without a `traceparent` that are traced. For the others the caller decides.",
  ),
  LOG_LEVEL: setting(
    z.enum(["debug", "info", "warn", "error"]),
    "info",
    "debug, info, warn or error",
    "The least severe events that are logged; debug logs each request.",
  ),
  LOG_FORMAT: setting(
    z.enum(["json", "text"]).optional(),
    undefined,
    "json or text",
    "By default text on a terminal, json elsewhere.",
  ),
  NO_COLOR: setting(
    z.string().optional(),
    undefined,
    "anything",
    "With any value the log has no colors, on a terminal either (no-color.org).",
  ),
} as const;

type Definitions = typeof SETTINGS;
export type Settings = { readonly [Name in keyof Definitions]: z.output<Definitions[Name]["schema"]> };

/** Reads the settings from the environment; nothing else reads it. An empty value counts as missing. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const given = environment[name] || setting.fallback;
    const result = setting.schema.safeParse(given);
    if (!result.success) throw new InvalidSetting(`${name} must be ${setting.mustBe}, and is ${shown(given, setting)}`);
    return [name, result.data];
  });
  const settings: Settings = Object.fromEntries(entries);
  if (settings.SMTP_URL !== undefined && settings.BASE_URL === undefined) {
    throw new InvalidSetting(
      "BASE_URL must be set where SMTP_URL is: the links in mail lead there, and to no other address",
    );
  }
  return settings;
}

interface Setting<Schema extends z.ZodType> {
  readonly schema: Schema;
  readonly fallback: string | undefined;
  readonly mustBe: string;
  readonly meaning: string;
  /** True if no message, log line or error shows the value. */
  readonly isSecret: boolean;
}

function setting<Schema extends z.ZodType>(
  schema: Schema,
  fallback: string | undefined,
  mustBe: string,
  meaning: string,
): Setting<Schema> {
  return { schema, fallback, mustBe, meaning, isSecret: false };
}

function secret<Schema extends z.ZodType>(...definition: Parameters<typeof setting<Schema>>): Setting<Schema> {
  return { ...setting(...definition), isSecret: true };
}

/** An address may hold a password in any setting. */
function shown(given: string | undefined, { isSecret }: Setting<z.ZodType>): string {
  if (given === undefined) return "missing";
  return isSecret || given.includes("@") ? "something else" : JSON.stringify(given);
}
