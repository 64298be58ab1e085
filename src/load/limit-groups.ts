import { LimitGroup } from "./limit-row.ts";

/* The groups of limits whose rows are in several files. Each row is in the file that holds the limit. */

export const QUARTER = { windowSeconds: 15 * 60 };
export const HOUR = { windowSeconds: 3600 };
export const DAY = { windowSeconds: 86_400 };
export const ALL = "everybody together";
/** The answers beyond the bound of one holder, and beyond the bound of all together. */
export const REFUSED = "429; 503";
/** It has the figures of what was measured once. */
export const DECISION = "docs/decisions/0023-what-was-measured-once.md";

export const THREAD_TIME = new LimitGroup(
  "thread time",
  "plantstore_event_loop_late_seconds",
  REFUSED,
  "bench/neighbours.ts",
);
/** A client that waits for its refusal sends at most one a second on each connection. */
export const LATE_REFUSALS = new LimitGroup("thread time", "plantstore_event_loop_late_seconds", "429, a second late");
export const READING_THREADS = new LimitGroup("reading threads", "plantstore_readings", REFUSED, "bench/neighbours.ts");
export const ANSWER_MEMORY = new LimitGroup(
  "memory of answers",
  "process_resident_memory_bytes",
  REFUSED,
  "bench/neighbours.ts",
);
export const DATABASE_CONNECTIONS = new LimitGroup(
  "database connections",
  "plantstore_pool_waiting",
  "503 after 2 s",
  DECISION,
);
export const WRITE_AHEAD_LOG = new LimitGroup("write-ahead log", "plantstore_wal_bytes", "copied", "bench/create.ts");
export const SECURITY_LOG = new LimitGroup("request and security log", "plantstore_sign_ins_total", "429");
export const MAIL = new LimitGroup("mail", "plantstore_jobs_total", "not sent");
export const OUTGOING = new LimitGroup(
  "outgoing connections",
  "plantstore_webhook_seconds",
  "wait in the feed",
  DECISION,
);
export const IDENTITY_PROVIDER = new LimitGroup(
  "outgoing connections",
  "plantstore_sign_ins_total",
  "429, a second late",
  DECISION,
);
export const GUESSES = new LimitGroup("guesses", "plantstore_sign_ins_total", "429");
export const CREDENTIALS = new LimitGroup("credentials", "plantstore_tokens_known", "the oldest ends");
export const WEBHOOKS = new LimitGroup("endpoints", "plantstore_webhook_endpoints", "409", DECISION);
