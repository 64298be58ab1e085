import { z } from "zod";
import { hostNames } from "#certificates/certificate.ts";
import {
  ADDRESSES,
  AT_LEAST_1,
  DATABASE_ADDRESS,
  DECIMAL,
  DOMAIN_NAMES,
  DURATION,
  DURATION_OR_OFF,
  EMAIL_ADDRESS,
  FILE_PATH,
  FLAG,
  HTTP_ADDRESS,
  ISSUER,
  type Kind,
  kind,
  LISTENING_ADDRESS,
  MAILBOX,
  MEMBER_RULES,
  NETWORKS,
  ON_OR_OFF,
  ORIGIN,
  oneOf,
  PAIRS,
  PORT_NUMBER,
  RECIPIENTS,
  RETENTION,
  secret,
  text,
  withPassword,
} from "./setting-values.ts";

/** A setting that cannot be used; the message names it and says what would be right. */
export class InvalidSetting extends Error {}

/** Every setting, with its default and its meaning. The table in docs/settings.md is made from this. */
export const SETTINGS = {
  HOST: setting(
    "127.0.0.1",
    ADDRESSES,
    "The address to listen on, or several separated by commas. With DOMAIN or TLS_CERT_FILE all of the machine: `0.0.0.0,::`.",
  ),
  PORT: setting(
    "3000",
    PORT_NUMBER,
    "The port; 0 picks a free one, which is printed. With DOMAIN or TLS_CERT_FILE that of HTTPS, by default 443.",
  ),
  DATABASE_URL: setting(
    "sqlite:data/plantstore.db",
    DATABASE_ADDRESS,
    "Where everything is kept. A path is relative to the working directory, and its folder is made.",
  ),
  BASE_URL: optional(
    ORIGIN,
    "The public address, for links and cookies behind a proxy. By default that of each request; with DOMAIN or TLS_CERT_FILE the first name's.",
  ),
  DOMAIN: setting(
    "",
    DOMAIN_NAMES,
    "Serves HTTPS under these names, separated by commas, with a certificate that the service fetches itself ([https.md](https.md)).",
  ),
  ACME_DIRECTORY: setting(
    "https://acme-v02.api.letsencrypt.org/directory",
    HTTP_ADDRESS,
    "The authority of that certificate (RFC 8555), whose terms are accepted by setting DOMAIN.",
  ),
  ACME_EMAIL: optional(EMAIL_ADDRESS, "An address for the authority's notices."),
  TLS_CERT_FILE: optional(FILE_PATH, "Serves HTTPS with this certificate and its chain (PEM) instead."),
  TLS_KEY_FILE: optional(FILE_PATH, "The key of TLS_CERT_FILE (PEM, without a passphrase)."),
  HTTP_PORT: setting(
    "80",
    PORT_NUMBER,
    "With DOMAIN or TLS_CERT_FILE: redirects from here to HTTPS, and answers the authority and `/healthz`. 0: none.",
  ),
  TRUSTED_PROXIES: setting(
    "",
    NETWORKS,
    "Addresses or networks of your reverse proxies, separated by commas, whose forwarded headers count. Without it every client seems to come from the proxy.",
  ),
  SECRET: optional(
    secret(kind("at least 32 characters", z.string().min(32))),
    "Signs sessions and seals second factors; shared by all nodes. By default made once and kept in the database.",
  ),
  SIGNUP: setting(
    "first",
    oneOf("first", "open", "closed"),
    "Who may make an account: `first` only the first, by the link that the first start prints; `open` anyone; `closed` nobody.",
  ),
  OIDC_ISSUER: optional(
    ISSUER,
    "The identity provider by which people sign in, exactly as it writes its issuer ([oidc.md](oidc.md)). Needs BASE_URL.",
  ),
  OIDC_CLIENT_ID: optional(text("an id"), "The client registered there."),
  OIDC_CLIENT_SECRET: optional(secret(text("a secret")), "Its secret; none for a public client."),
  OIDC_MEMBERS: setting(
    "",
    MEMBER_RULES,
    "Who may come without an invitation, into the first account's store: a role for all, or `claim:value=role` pairs; the highest wins.",
  ),
  OIDC_ONLY: setting(
    "off",
    ON_OR_OFF,
    "Whether passwords and passkeys sign in owners alone, and passwords only with a second factor.",
  ),
  OIDC_NAME: optional(text("a name"), "The provider's name on the button; by default the host of OIDC_ISSUER."),
  RATE_LIMIT: optional(
    AT_LEAST_1,
    "Requests per second for each token. Each record that an import writes counts as one; an import is slowed down, never refused. Off by default.",
  ),
  BACKUP_TO: optional(
    text(
      "a folder or s3://BUCKET/PREFIX",
      /^(?!\s*$|[a-zA-Z][a-zA-Z0-9+.-]*:\/\/|s3:)|^s3:\/\/[a-z0-9][a-z0-9.-]+(?:\/.*)?$/,
    ),
    "Where backups are kept: a folder or s3://BUCKET/PREFIX. Without it none are made.",
  ),
  BACKUP_EVERY: setting("24h", DURATION, "The time between backups, give or take a twentieth."),
  BACKUP_KEEP: setting(
    "24h:7d,7d:5w,30d:12mo",
    RETENTION,
    "The backups that are kept: the newest of each interval, for a duration. Never removed: the last verified one.",
  ),
  BACKUP_RECIPIENTS: setting("", secret(RECIPIENTS), "The age public keys that backups are encrypted for."),
  BACKUP_VERIFY: setting(
    "weekly",
    oneOf("weekly", "never"),
    "Whether a backup is restored and checked: `weekly` or `never`. Encrypted ones need BACKUP_IDENTITY.",
  ),
  BACKUP_IDENTITY: optional(FILE_PATH, "A file with the age identity that reads encrypted backups."),
  S3_ENDPOINT: optional(HTTP_ADDRESS, "The address of the S3 store; Amazon's by default."),
  S3_REGION: optional(text("a region"), "The region of the S3 store."),
  S3_ACCESS_KEY_ID: optional(text("an access key"), "The access key of the S3 store."),
  S3_SECRET_ACCESS_KEY: optional(secret(text("a secret key")), "The access key's secret."),
  AUDIT_KEPT: setting("400d", DURATION, "How long entries of the audit log are kept."),
  SMTP_URL: optional(
    withPassword(
      secret(
        kind(
          "smtp://user:password@host:587 or smtps://…",
          z
            .string()
            .regex(/^smtps?:\/\/.+$/)
            .refine((address) => URL.canParse(address)),
        ),
      ),
    ),
    "The mail server: with it addresses are verified, passwords recovered and holders told of changes by mail. Needs BASE_URL.",
  ),
  MAIL_FROM: optional(MAILBOX, "The sender of mail. By default plantstore at the host of BASE_URL."),
  EVENTS_KEPT: setting(
    "30d",
    DURATION_OR_OFF,
    "How long the feed of changes goes back; `0` turns it off, and webhooks with it.",
  ),
  REQUEST_LOG_KEPT: setting(
    "7d",
    DURATION_OR_OFF,
    "How long the request log of each account goes back; `0` turns it off.",
  ),
  REQUEST_LOG_MB: setting(
    "512",
    AT_LEAST_1,
    "The log's size in MB; the oldest requests go first, of the account that has most.",
  ),
  REQUEST_LOG_BODIES: setting(
    "on",
    ON_OR_OFF,
    "Whether the log keeps the first KiB of a refused plant, with everything that looks like a token masked.",
  ),
  REQUEST_LOG_ADDRESSES: setting(
    "full",
    oneOf("off", "network", "full"),
    "The clients' addresses in the request log: `off`, `network` (/24, /48) or `full`.",
  ),
  WEBHOOKS: setting("on", ON_OR_OFF, "Whether accounts may have webhook endpoints."),
  WEBHOOK_NETWORKS: setting(
    "",
    NETWORKS,
    "Private networks that webhooks may call, also over http; by default only public addresses over https.",
  ),
  WEBHOOK_PROXY: optional(
    withPassword(HTTP_ADDRESS),
    "An egress proxy for webhooks, which then guards the network itself. `HTTP_PROXY` and the like are not obeyed.",
  ),
  TAKE_OVER: setting(
    "0",
    FLAG,
    "`1` takes over from the server that runs on the same SQLite database and port, without a gap (Linux).",
  ),
  MCP: setting("off", ON_OR_OFF, "Serves the Model Context Protocol at `/mcp`, for agents."),
  METRICS: optional(
    LISTENING_ADDRESS,
    "Where Prometheus scrapes `/metrics`, such as `127.0.0.1:9464`. Off by default.",
  ),
  METRICS_TOKEN: optional(
    secret(kind("at least 16 characters", z.string().min(16))),
    "A bearer token that a scrape must send, where METRICS can be reached by others.",
  ),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(
    HTTP_ADDRESS,
    "An OpenTelemetry collector of the spans of sampled requests (OTLP over HTTP in JSON), such as `http://127.0.0.1:4318`. OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES are obeyed.",
  ),
  OTEL_EXPORTER_OTLP_HEADERS: setting("", secret(PAIRS), "Sent to the collector."),
  OTEL_TRACES_SAMPLER_ARG: setting(
    "0.01",
    kind(
      "a number from 0 to 1",
      DECIMAL.refine((part) => part <= 1),
    ),
    "The part of the requests without a `traceparent` that are traced.",
  ),
  LOG_LEVEL: setting(
    "info",
    oneOf("debug", "info", "warn", "error"),
    "What is logged at least: `debug` (each request too), `info`, `warn` or `error`.",
  ),
  LOG_FORMAT: optional(
    oneOf("json", "text"),
    "`text`, by default on a terminal (without colors where NO_COLOR is set), or `json`, by default elsewhere.",
  ),
} as const;

type Definitions = typeof SETTINGS;
export type SettingName = keyof Definitions;
type Environment = Readonly<Record<string, string | undefined>>;
export type Settings = { readonly [Name in keyof Definitions]: z.output<Definitions[Name]["schema"]> } & {
  /** SECRET with the white space that was around it, by which earlier releases sealed and signed; undefined if there was none. */
  readonly SECRET_UNTRIMMED?: string | undefined;
};

/** The defaults of a service that speaks HTTPS itself. */
const HTTPS_DEFAULTS: Readonly<Record<string, string>> = { HOST: "0.0.0.0,::", PORT: "443" };

/**
 * Reads the settings from the environment. An empty value counts as missing. White space around one counts for nothing, since a file
 * ends in a line break.
 */
export function readSettings(variables: Environment): Settings {
  const entries = Object.entries(SETTINGS).map(([name, setting]) => {
    const given = givenValue(name as SettingName, variables) ?? defaultValue(name as SettingName, variables);
    if (given !== undefined && /^(["']).*\1$/s.test(given))
      throw new InvalidSetting(
        `${name} has quotes around its value, which would count as a part of it: leave them out`,
      );
    const advice = given === undefined ? undefined : setting.adviceOn?.(given);
    if (advice !== undefined) throw new InvalidSetting(`${name} must be ${advice}`);
    const result = setting.schema.safeParse(given);
    if (!result.success) throw new InvalidSetting(`${name} must be ${setting.mustBe}, and is ${shown(given, setting)}`);
    return [name, result.data];
  });
  const given: Settings = {
    ...Object.fromEntries(entries),
    SECRET_UNTRIMMED: [undefined, variables.SECRET].includes(givenValue("SECRET", variables))
      ? undefined
      : variables.SECRET,
  };
  const settings = isHttps(given) ? { ...given, BASE_URL: given.BASE_URL ?? ownAddress(given) } : given;
  for (const problemOf of [httpsProblem, mailProblem, providerProblem]) {
    const problem = problemOf(settings);
    if (problem !== undefined) throw new InvalidSetting(problem);
  }
  return settings;
}

/** The value that the environment gives to a setting; undefined for none, and for an empty one. */
export function givenValue(name: SettingName, variables: Environment): string | undefined {
  return variables[name]?.trim() || undefined;
}

/** The value of a setting where none is given; undefined if there is none. */
export function defaultValue(name: SettingName, variables: Environment): string | undefined {
  const isOverHttps = givenValue("DOMAIN", variables) ?? givenValue("TLS_CERT_FILE", variables);
  return (isOverHttps && HTTPS_DEFAULTS[name]) || SETTINGS[name].fallback;
}

/** True if the service speaks HTTPS itself. */
export function isHttps({ DOMAIN, TLS_CERT_FILE }: Pick<Settings, "DOMAIN" | "TLS_CERT_FILE">): boolean {
  return DOMAIN.length > 0 || TLS_CERT_FILE !== undefined;
}

function httpsProblem(settings: Settings): string | undefined {
  const { DOMAIN, TLS_CERT_FILE, TLS_KEY_FILE, PORT, HTTP_PORT, BASE_URL } = settings;
  if ((TLS_CERT_FILE === undefined) !== (TLS_KEY_FILE === undefined)) {
    return "TLS_CERT_FILE and TLS_KEY_FILE must be set together: a certificate and its key";
  }
  if (!isHttps(settings)) return undefined;
  if (BASE_URL !== undefined && new URL(BASE_URL).protocol !== "https:") {
    return `BASE_URL must begin with https: where DOMAIN or TLS_CERT_FILE is set, and is ${BASE_URL}`;
  }
  if (PORT === HTTP_PORT && PORT > 0) return `HTTP_PORT must be another port than PORT, and is ${PORT} too`;
  if (DOMAIN.length === 0) return undefined;
  if (TLS_CERT_FILE !== undefined) return "DOMAIN fetches a certificate, and TLS_CERT_FILE names one: set only one";
  if (HTTP_PORT === 0) return "HTTP_PORT must not be 0 where DOMAIN is set: the authority asks there for its proof";
  if (sqlitePath(settings) !== undefined) return undefined;
  return "DOMAIN is for one server over SQLite: over PostgreSQL let the balancer speak TLS, or set TLS_CERT_FILE on each node";
}

function mailProblem({ SMTP_URL, BASE_URL }: Settings): string | undefined {
  if (SMTP_URL === undefined || BASE_URL !== undefined) return undefined;
  return "BASE_URL must be set where SMTP_URL is: the links in mail lead there, and to no other address";
}

const PROVIDER_SETTINGS = ["OIDC_CLIENT_ID", "OIDC_CLIENT_SECRET", "OIDC_NAME", "OIDC_MEMBERS", "OIDC_ONLY"] as const;

function providerProblem({ OIDC_ISSUER, BASE_URL, ...settings }: Settings): string | undefined {
  if (OIDC_ISSUER === undefined) {
    const given = PROVIDER_SETTINGS.find((name) => !["", "off"].includes(String(settings[name] ?? "")));
    return given && `OIDC_ISSUER must be set where ${given} is: it names the identity provider`;
  }
  if (BASE_URL === undefined)
    return "BASE_URL must be set where OIDC_ISSUER is: the identity provider leads back there";
  if (settings.OIDC_CLIENT_ID !== undefined) return undefined;
  return "OIDC_CLIENT_ID must be set where OIDC_ISSUER is: the provider knows this service by it";
}

/** The address by which clients reach it; undefined where it has no name, or a port that is not known yet. */
function ownAddress({ DOMAIN: [name], TLS_CERT_FILE: file, PORT }: Settings): string | undefined {
  const host = name ?? (file && hostNames(file).find((each) => !each.startsWith("*")));
  if (host === undefined || PORT === 0) return undefined;
  return `https://${host}${PORT === 443 ? "" : `:${PORT}`}`;
}

/** The addresses to listen on. */
export function hostsOf({ HOST }: Pick<Settings, "HOST">): string[] {
  return HOST.split(",");
}

/** The path of the database's file; undefined on PostgreSQL. */
export function sqlitePath({ DATABASE_URL: url }: Pick<Settings, "DATABASE_URL">): string | undefined {
  return url.startsWith("sqlite:") ? url.slice("sqlite:".length) : undefined;
}

interface Setting<Schema extends z.ZodType> extends Kind<Schema> {
  /** The value where none is given, if there is one. */
  readonly fallback: string | undefined;
  readonly meaning: string;
}

function setting<Schema extends z.ZodType>(fallback: string, kind: Kind<Schema>, meaning: string): Setting<Schema> {
  return { ...kind, fallback, meaning };
}

function optional<Schema extends z.ZodType>(kind: Kind<Schema>, meaning: string): Setting<z.ZodOptional<Schema>> {
  return { ...kind, schema: kind.schema.optional(), fallback: undefined, meaning };
}

/** An address may hold a password in any setting. */
function shown(given = "", { isSecret }: Kind<z.ZodType>): string {
  return isSecret || given.includes("@") ? "something else" : JSON.stringify(given);
}
