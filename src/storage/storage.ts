import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { Reads } from "#core/reads.ts";
import type { Store } from "#core/store.ts";
import type { Counts } from "#load/throttle.ts";
import type { AuditLog } from "./audit.ts";
import type { DatabaseAccess } from "./database-access.ts";
import type { MailRows } from "./mail.ts";

/** An open database: the Store over it, and the parts that other rooms need. */
export interface Storage extends DatabaseAccess {
  readonly store: Store;
  /** Opened when it is first used, which the thread that serves never does. */
  readonly reads: Reads;
  /** The storage's own jobs, for the job runner. */
  readonly jobs: readonly Job[];
  /** Adds audit entries to units of statements. */
  readonly audit: AuditLog;
  readonly mail: MailRows;
  /** Resolves when the schema is up to date; until then the store refuses everything with "unavailable". */
  readonly ready: Promise<void>;
  /** Another thread of this process found the database out of reach, for this reason. */
  databaseAway(reason: string): void;
  /** The requests of each token, over all nodes; in memory if one process has the database to itself. */
  readonly requestCounts: Counts;
}

export interface StorageOptions {
  readonly observer: Observer;
  /**
   * True for a server: it starts while a remote database is unreachable, refuses everything with "unavailable" until it
   * can be reached, and tells the observer why. A command needs the database now, or reports an error.
   */
  readonly startsWithoutDatabase: boolean;
  /** False if the feed of changes is turned off: changes and removals then write no events. */
  readonly keepsEvents: boolean;
  /** True if the service sends mail: notices of some actions are then queued with them. */
  readonly sendsMail: boolean;
  /** True for a command: its audit entries are left for a service to tell its observer of. */
  readonly isCommand: boolean;
}
