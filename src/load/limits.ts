import type { AuditAction } from "#core/audit.ts";
import { ACTIVE_TOKENS_MAX } from "#core/token.ts";
import { WEBHOOKS_PER_ACCOUNT_MAX } from "#core/webhook.ts";
import { LimitGroup } from "./limit-row.ts";
import type { Limit } from "./throttle.ts";

/*
 * The table of limits: each exported row bounds something that callers could use up. Code that needs a number reads it
 * from its row, and `docs/load.md` and `plantstore serve --limits` show all of them.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const QUARTER = { windowSeconds: 15 * 60 };
const HOUR = { windowSeconds: 3600 };
const DAY = { windowSeconds: 86_400 };
const ALL = "everybody together";
/** Beyond the bound of one, and beyond that of all. */
const REFUSED = "429; 503";

const THREAD = new LimitGroup("thread time", "plantstore_event_loop_late_seconds", REFUSED, "neighbours");
/** JSON of this length takes a tenth of a millisecond, and five times as long if it is all brackets: so it has few. */
export const INLINE_PARSE = THREAD.row(
  "bodies that the serving thread parses",
  "request",
  { each: 16 * KIB, unit: "bytes", brackets: 1000 },
  "a reading thread parses it",
);
/** Its texts. With the answer they take a quarter of a millisecond; a MiB leaves three times as much memory to be collected. */
export const READ_HERE = THREAD.row(
  "plants that the serving thread reads",
  "request",
  { each: 256 * KIB, unit: "bytes" },
  "a reading thread reads it",
);
/** Browsers send a tenth of it. */
export const ACCEPT = THREAD.row("characters of Accept", "request", { each: 1000 }, "it counts as `*/*`");
export const ACCEPT_ENCODING = THREAD.row(
  "characters of Accept-Encoding",
  "request",
  { each: 500 },
  "it counts as none",
);
/** Browsers send the four that are written here, and what other services under the same name have set. */
export const COOKIE = THREAD.row("characters of Cookie", "request", { each: 8 * KIB }, "it counts as none");
/** A body that is neither a plant nor a list of events. The longest is a passkey's attestation, of a few kilobytes. */
export const FORMS = THREAD.row("forms", "request", { each: INLINE_PARSE.each, unit: "bytes" }, "413");
/** The ids of a hundred events take 2 KiB. */
export const REPLAYS = THREAD.row("forms that ask for a replay", "request", { each: 64 * KIB, unit: "bytes" }, "413");
/** One import reads at a time, and accounts in turn, so that many imports hold others up no longer than one does. */
export const IMPORT_TURN = THREAD.row(
  "reading of imports",
  "account",
  { all: 1, unit: "ms" },
  "others have their turn",
);
/** To requests without a token or a session; everyday use by people and monitors stays far below. */
export const STRANGERS = THREAD.row("answers to strangers", ALL, { max: 500, windowSeconds: 1 }, "they come late");
/** A client that waits for its answers sends at most five requests a second on each connection. */
export const STRANGERS_LATE = THREAD.row(
  "late answers",
  ALL,
  { all: 10_000, lateMs: 200 },
  "further ones come at once",
);
/** A refusal of everyday use is far from the next one. Smaller bodies have arrived with their heads. */
export const REFUSED_BODIES = THREAD.row(
  "refusals whose large body nobody reads",
  "account, or all strangers",
  { max: 20, windowSeconds: 1, bytes: 64 * KIB },
  "they come late",
);
/** The runtime holds up to 1.4 MB of each body meanwhile. */
export const REFUSED_BODIES_LATE = THREAD.row(
  "late refusals",
  ALL,
  { all: 64, lateMs: 1000 },
  "further ones come at once and close the connection",
);
/** Read so that their senders hear the refusal. It keeps the thread busy for a twentieth of the time. */
export const DISCARDED_IN_A_SECOND = THREAD.row(
  "refused bodies that are read on, in a second",
  ALL,
  { all: 128 * MIB, unit: "bytes" },
  "they are read later",
);
/** A client that waits for its refusal sends at most one a second on each connection. */
const REFUSED_LATE = new LimitGroup("thread time", "plantstore_event_loop_late_seconds", "429, a second late");
const MINUTELY = { max: 120, windowSeconds: 60, lateMs: 1000, refusal: "Too many requests" };
/** They write nothing. */
export const CHALLENGES = REFUSED_LATE.row("passkey challenges", "network", MINUTELY);
/** By their page, and by whoever takes them. */
export const INVITATIONS_OPENED = REFUSED_LATE.row("invitations that are looked up", "network", MINUTELY);
/**
 * Sessions, tokens and credentials in the dashboard, which have no reading thread: a person's many requests let others
 * go on between them.
 */
export const DASHBOARD = THREAD.row("requests of the dashboard", "person", {
  each: 2,
  all: 64,
  waitingEach: 64,
  waiting: 1024,
});
/** Argon2id in the runtime's own threads: each keeps a processor busy for some 20 ms, and takes 19 MiB. */
export const PASSWORDS = THREAD.row("checks of passwords", "network", {
  each: 1,
  all: 2,
  waitingEach: 16,
  waiting: 256,
});

const READING = new LimitGroup("reading threads", "plantstore_readings", REFUSED, "neighbours");
const READINGS = { waitingEach: 128, waiting: 1024 };
/** Each thread reads one thing at a time. */
export const READING_ON_SQLITE = READING.row("requests that read", "account, on SQLite", {
  each: 1,
  all: 2,
  ...READINGS,
});
/** One thread waits for the database, on as many connections. */
export const READING_ON_POSTGRES = READING.row("requests that read", "account, on PostgreSQL", {
  each: 2,
  all: 4,
  ...READINGS,
});
/** Each waits for requests of its own to the API. */
export const MCP = READING.row("calls of tools", "account", { each: 2, all: 8, waitingEach: 64, waiting: 512 });

/** First come, first served, but large ones on PostgreSQL take turns by account; each with its text and 64 units of two bytes. */
export const QUEUED_WRITES = new LimitGroup("the writer's queue", "plantstore_write_queue_length", "503", "create").row(
  "writes that wait",
  "account",
  { each: 12_288, all: 16_384 },
);
export const QUEUED_TEXT = new LimitGroup("the writer's queue", "plantstore_write_queue_bytes", "503", "import").row(
  "text of writes that wait",
  "account",
  { each: 96 * MIB, all: 128 * MIB, unit: "bytes" },
);

const BODIES = new LimitGroup("memory of bodies", "process_resident_memory_bytes", REFUSED, "neighbours");
/** The runtime holds what has arrived of a body, read or not. Those up to INLINE_PARSE cost less than a connection. */
export const UNFINISHED_BODIES = BODIES.row("large bodies", "account, or network", {
  each: 32 * MIB,
  all: 96 * MIB,
  unit: "bytes",
  retryAfterS: 1,
});
/** An account is counted once half are awaited. A network of strangers has at most as many as are free of the other half. */
export const AWAITED_BODIES = BODIES.row(
  "bodies that are waited for",
  "account",
  { each: 1000, all: 10_000 },
  "the oldest of a stranger is answered 408; 429; 503",
);

const LARGE = new LimitGroup("memory of answers", "process_resident_memory_bytes", REFUSED, "neighbours");
/**
 * Answers larger than `counted`, until their readers have taken them, unless as many as all requests under way would take no
 * more than `free`. Files that all readers share take nothing. Nothing is read for an answer unless there is room for one of
 * `usual` bytes: the event of a plant with two names of a MiB.
 */
export const ANSWERS = LARGE.row("large answers", "account, or network", {
  each: 48 * MIB,
  all: 192 * MIB,
  unit: "bytes",
  counted: 16 * KIB,
  usual: 2.5 * MIB,
  free: 8 * MIB,
});
/** Each holds a snapshot, and on PostgreSQL a connection, for as long as its reader reads. */
export const EXPORTS = LARGE.row("exports", "account", { each: 8, all: 32 });
/** Requests that wait for events. */
export const WAITS = LARGE.row("waiting-requests", "account", { each: 64, all: 4096 });
const STREAMED = new LimitGroup("memory of answers", "plantstore_streams", REFUSED, "events");
export const STREAMS = STREAMED.row("streams", "account", { each: 8, all: 1000 });
export const STREAM_QUEUE = STREAMED.row(
  "events that wait for a reader",
  "stream",
  { each: 256 * KIB, unit: "bytes", stalledMs: 5000 },
  "the stream is cut 5 s later",
);

/**
 * The runtime counts from a request's head, even if its body comes steadily. It is longer than the 60 s for which load
 * balancers hold their connections. The number of connections is that of `ulimit -n`.
 */
export const SILENCE = new LimitGroup("descriptors", "process_open_fds", "it is closed").row(
  "silence of a connection",
  "anybody",
  { each: 75_000, unit: "ms" },
);

const LATER = "503 after 2 s";
const POOLS = new LimitGroup("database connections", "plantstore_pool_waiting", LATER, "postgres");
/** A request has given its statement up before the database ends it. */
const SHORT = { statementMs: 3000 };
/**
 * Each kind of work has its own, so that none keeps another waiting; by the names of the pools. The database ends a
 * statement that takes longer than `statementMs`.
 */
export const CONNECTIONS = {
  /** Three batches under way keep PostgreSQL's commits busy, and a batch grows while it waits. */
  writing: POOLS.row("creates, changes and removals, in batches", ALL, { all: 3, ...SHORT }),
  /** Every request needs the first of these. */
  accounts: POOLS.row("tokens, sessions, sign-in, usage", ALL, { all: 4, ...SHORT }),
  /** Accounts take turns. The search index is written for a minute at most. */
  shared: POOLS.row("reads of single plants, jobs", "account", {
    each: 2,
    all: 4,
    statementMs: 61_000,
  }),
  /** Few, since a search may keep a processor of the database busy that creates need too. */
  reading: POOLS.row("lists, searches, events, logs and usage", "account", {
    each: READING_ON_POSTGRES.each,
    all: READING_ON_POSTGRES.all,
    ...SHORT,
  }),
  /** An export holds its connection for as long as its reader reads. */
  exporting: POOLS.row("exports, while their reader reads", "account", {
    each: EXPORTS.each,
    all: EXPORTS.all,
    ...SHORT,
  }),
};

/** Longer than the 60 s after which a stalled export ends. */
export const OPEN_TRANSACTION = POOLS.row(
  "silence within a transaction",
  "connection",
  { each: 120_000, unit: "ms" },
  "the database ends it",
);

const WRITE_AHEAD_LOG = new LimitGroup("write-ahead log", "plantstore_wal_bytes", "it is copied", "create");
export const LOG_DUE = WRITE_AHEAD_LOG.row("log that is in no file yet", ALL, { all: 64 * MIB, unit: "bytes" });
/** Nothing that is written after a snapshot can be used again until that is let go. */
export const LOG_HELD = WRITE_AHEAD_LOG.row(
  "log that a snapshot holds",
  "export",
  { each: 256 * MIB, unit: "bytes" },
  "the export is cut",
);
/** Or the size of the database, where that is more: so much is free beside it when a backup begins. */
export const LOG_HELD_BY_BACKUP = WRITE_AHEAD_LOG.row(
  "log that a backup of a small database holds",
  "backup",
  { each: 1024 * MIB, unit: "bytes" },
  "the backup is ended",
);

const LOGGED = new LimitGroup(
  "request and security log",
  "plantstore_request_log_dropped_total",
  "they are counted",
  "request-log",
);
const AUDITED = new LimitGroup("request and security log", "plantstore_sign_ins_total", "429");
export const LOGGED_SUCCESSES = LOGGED.row("logged successes", "account", { max: 10, windowSeconds: 1 });
export const LOGGED_REFUSALS = LOGGED.row("logged refusals", "account", { max: 200, windowSeconds: 1 });
export const LOGGED_WAITING = LOGGED.row("requests that wait to be logged", ALL, { all: 65_536 });
/** In the audit log. */
export const ACTS = AUDITED.row("acts of one kind", "person in a store, or the tokens of an account", {
  max: 120,
  ...HOUR,
});
/** One more entry counts the rest. */
export const FAILED_SIGN_INS = AUDITED.row(
  "refused sign-ins in the audit log",
  "account",
  { max: 20, ...HOUR },
  "they are counted",
);

export const INVITATIONS = AUDITED.row("invitations", "person in a store", { max: 20, ...HOUR });

/** The limit of one kind of acts. */
export function actsOfAccount(action: AuditAction): Limit {
  const limit = action === "member.invited" ? INVITATIONS : ACTS;
  return { ...limit, name: action, refusal: `This account has done that ${limit.max} times in an hour (${action})` };
}

const UNSENT = "it is not sent";
const MAIL = new LimitGroup("mail", "plantstore_jobs_total", UNSENT);
/** Messages that are asked for. */
export const MAIL_ASKED_BY_NETWORK = MAIL.row("mail asked for by network", "network", { max: 20, ...QUARTER }, "429");
export const MAIL_ASKED_BY_PERSON = MAIL.row(
  "mail asked for by person",
  "person, or mail address",
  { max: 3, ...HOUR },
  "429",
);
/**
 * One person causes 20 messages in an hour, and one address is sent 20: these, and three of recovery, whose room no
 * other message may use up.
 */
export const MAIL_TO_ADDRESS = MAIL.row("mail to address", "mail address", { max: 17, ...HOUR });
export const MAIL_OF_PERSON = MAIL.row("mail of person", "person", { max: 17, ...HOUR });
export const RECOVERY_MAIL_OF_PERSON = MAIL.row("recovery mail of person", "person", {
  max: 3,
  ...HOUR,
});
/** Different addresses that are sent messages of one person on one day (UTC), which is part of both subjects. */
export const ADDRESSES_OF_PERSON = MAIL.row("mailed addresses of person", "person", {
  max: 5,
  ...DAY,
});
export const SAME_ADDRESS_OF_PERSON = MAIL.row(
  "mailed address of person",
  "person",
  { max: 1, ...DAY },
  "it is no new one",
);

const LATER_IN_FEED = "they wait in the feed";
const OUTGOING = new LimitGroup("outgoing connections", "plantstore_webhook_seconds", LATER_IN_FEED, "events");
export const DELIVERIES_OF_ENDPOINT = OUTGOING.row("deliveries of an endpoint", "endpoint", { each: 8 });
/** With its tests an account has at most 32 requests under way. */
export const DELIVERIES = OUTGOING.row("deliveries", "account", {
  each: 30,
  all: 1024,
  waitingEach: DELIVERIES_OF_ENDPOINT.each * WEBHOOKS_PER_ACCOUNT_MAX,
  waiting: Infinity,
});
/** Tests that wait are over before the silence of their caller's connection has lasted too long. */
export const TESTS = OUTGOING.row("tests", "account", { each: 2, all: 128, waitingEach: 4, waiting: Infinity }, "429");
/** A node that takes over many endpoints reads for all of them; a statement that waits long for a connection fails. */
export const READING_FOR_ENDPOINTS = OUTGOING.row(
  "reads for deliveries",
  "account or endpoint",
  { each: 2, all: 4, waitingEach: Infinity, waiting: Infinity },
  "they wait",
);
export const RESTING_CONNECTIONS = OUTGOING.row("resting connections to receivers", ALL, { all: 512 }, "one is closed");

const PROVIDER = new LimitGroup("outgoing connections", "plantstore_sign_ins_total", "429, a second late", "provider");
/** A beginning writes nothing, but the provider is asked. Both requests together take a tenth of a sign-in with a password. */
export const PROVIDER_BEGINNINGS = PROVIDER.row("sign-ins begun at the identity provider", "network", {
  max: 20,
  windowSeconds: 60,
  lateMs: 1000,
  refusal: "Too many requests",
});
export const PROVIDER_REQUESTS = PROVIDER.row("sign-ins that ask the identity provider", ALL, {
  all: 8,
  lateMs: PROVIDER_BEGINNINGS.lateMs,
});
/** Of each of its two to four answers: an outage is told within 5 s. */
export const PROVIDER_ANSWER = new LimitGroup("outgoing connections", "plantstore_sign_ins_total", "503").row(
  "answers of the identity provider",
  "request",
  { each: 256 * KIB, unit: "bytes", waitMs: 4500 },
);

const GUESSES = new LimitGroup("guesses", "plantstore_sign_ins_total", "429");
/** Refused attempts. Successful ones are not counted. */
export const SIGN_IN_BY_ADDRESS = GUESSES.row("sign-in by address", "network", { max: 40, ...QUARTER });
/** For all addresses together. Passkeys and browsers that signed in before are not affected. */
export const SIGN_IN_BY_ACCOUNT = GUESSES.row("sign-in by account", "mail address", { max: 20, ...QUARTER });
export const SIGN_IN_BY_BOTH = GUESSES.row("sign-in by account and address", "mail address from one network", {
  max: 10,
  ...QUARTER,
});
/** For a browser from which this account signed in before, so that strangers cannot use up its attempts. */
export const SIGN_IN_BY_DEVICE = GUESSES.row("sign-in by device", "browser", { max: 10, ...QUARTER });
export const SIGN_UP_BY_ADDRESS = GUESSES.row("sign-up by address", "network", { max: 20, ...QUARTER });
/** Limits password guessing with a stolen session. */
export const PASSWORD_BY_ACCOUNT = GUESSES.row("password by account", "person", { max: 10, ...QUARTER });
export const CODE_BY_ACCOUNT = GUESSES.row("code by account", "person", { max: 10, ...QUARTER });
/** A code is accepted once during its validity (RFC 6238, 5.2). */
export const SAME_CODE = GUESSES.row("same code", "code", { max: 1, windowSeconds: 120 }, "it is refused");
/** The answer to a passkey's challenge is accepted once while the challenge is valid. */
export const SAME_CHALLENGE = GUESSES.row(
  "same challenge",
  "challenge",
  { max: 1, windowSeconds: 300 },
  "it is refused",
);

/** The answer of the provider to a beginning is accepted once while its cookie is valid. */
export const SAME_ANSWER = GUESSES.row("same answer", "answer", { max: 1, windowSeconds: 600 }, "it is refused");

const OLDEST = "the oldest ends";
const CREDENTIALS = new LimitGroup("credentials", "plantstore_tokens_known", OLDEST);
export const TOKENS = CREDENTIALS.row("tokens", "account", { each: ACTIVE_TOKENS_MAX }, "409");
/** The dashboard makes one for each page that is loaded. */
export const ENDED_TOKENS = CREDENTIALS.row("ended tokens", "account", { each: 1000 }, "the oldest is removed");
export const SESSIONS = CREDENTIALS.row("sessions", "account", { each: 100 });
export const TRUSTED_DEVICES = CREDENTIALS.row("trusted browsers", "account", { each: 100 });
export const IDENTITIES = CREDENTIALS.row("identities of a provider", "account", { each: 5 }, "409");
export const PEOPLE = CREDENTIALS.row("people and invitations", "store", { each: 50 }, "409");
/** Of which the person is an owner. */
export const STORES = CREDENTIALS.row("stores", "person", { each: 20 }, "409");
export const PASSKEYS = CREDENTIALS.row("passkeys", "account", { each: 50 }, "409");

const WEBHOOKS = new LimitGroup("endpoints", "plantstore_webhook_endpoints", "409", "events");
export const ENDPOINTS = WEBHOOKS.row("webhook endpoints", "account", { each: WEBHOOKS_PER_ACCOUNT_MAX });
export const RETRIES = WEBHOOKS.row("deliveries to repeat", "endpoint", { each: 1000 }, "the endpoint is paused");

/** Backups are the operator's: no caller can ask for one. */
export const BACKUP_PARTS = new LimitGroup("backups", "plantstore_backup_seconds", "the backup waits", "large").row(
  "parts that are sent at once",
  "operator",
  { all: 2 },
);
