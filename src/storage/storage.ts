import { storageUnavailable, UnusableDatabase } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { Reads } from "#core/reads.ts";
import type { Records } from "#core/records.ts";
import type { Counts } from "#load/throttle.ts";
import { AuditLog } from "./audit.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { type EmptiedPlants, EmptiedStores } from "./emptied-stores.ts";
import { ImportUndoing } from "./import-undo.ts";
import { importRecords } from "./imports.ts";
import { keptSecret } from "./kept-secrets.ts";
import { leaseRecords } from "./leases.ts";
import { MailRows } from "./mail.ts";
import { memberRecords } from "./members.ts";
import { type MigrationRights, requireKnownSchema } from "./migrate.ts";
import { People } from "./people.ts";
import { type AccountRows, removedAccounts, removeOwnEntries } from "./removed-accounts.ts";
import { expiredRowsJob } from "./sign-in/expired-rows.ts";
import { Stores } from "./stores.ts";
import { Tokens } from "./tokens.ts";
import { usageRecords } from "./usage.ts";
import { WebhookEndpoints } from "./webhook-endpoints.ts";

/** An open database: the Records over it, and the parts that other rooms need. */
export interface Storage extends DatabaseAccess {
  readonly records: Records;
  /** Opened when it is first used, which the thread that serves never does. */
  readonly reads: Reads;
  /** The storage's own jobs, for the job runner. */
  readonly jobs: readonly Job[];
  /** Adds audit entries to units of statements. */
  readonly audit: AuditLog;
  readonly mail: MailRows;
  /** Resolves when the schema is up to date; until then the store refuses everything with "unavailable". */
  readonly ready: Promise<void>;
  /** Lets other threads report that the database is out of reach; undefined for a file. */
  readonly reach: DatabaseReach | undefined;
  /** The requests of each token, over all nodes; in memory if one process has the database to itself. */
  readonly requestCounts: Counts;
}

interface DatabaseReach {
  /** How often the database has come back: one number, in memory that threads share. */
  readonly returns: Int32Array;
  /** `returned` is how often it had come back when it was last seen to work. */
  away(reason: string, kind: string, returned: number): void;
}

export interface StorageOptions extends MigrationRights {
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
  /** Called when an open database turns out to be one that this program cannot serve: the program must end. */
  onUnusable(reason: UnusableDatabase): void;
  /** True for a command: its audit entries are left for a service to tell its observer of. */
  readonly isCommand: boolean;
  /** False for what only uses a database: it throws MissingDatabase, or UnusableDatabase for an older schema. */
  readonly migrates: boolean;
}

/** The parts of a storage that each engine makes itself. */
interface EngineParts
  extends Pick<Records, "events" | "requests" | "faults" | "writable" | "watchSnapshot">,
    Pick<Storage, "jobs" | "ready" | "reach" | "requestCounts"> {
  readonly plants: Records["plants"] & EmptiedPlants;
  /** Rows of accounts that no foreign key removes with them. */
  readonly rows: readonly AccountRows[];
  /** Resolves with true if every transaction that began before that time has ended. */
  noneUnderWay(since: number): Promise<boolean>;
  openReads(): Reads;
  /** Ends what nobody waits for. */
  stop(): void;
  /** Called once nothing reads any more. */
  close(): Promise<void>;
}

/**
 * Adds to an engine's own parts the stores that both engines share, which use only single statements and units of several.
 */
export function storageOf(
  access: DatabaseAccess,
  { observer, sendsMail, isCommand, keepsEvents, onUnusable }: StorageOptions,
  own: EngineParts,
): Storage {
  const { plants, requests, events, faults, writable, watchSnapshot } = own;
  const mail = new MailRows(access);
  const audit = new AuditLog(access, isCommand ? undefined : observer, sendsMail ? mail : undefined);
  const audited = { ...access, audit };
  // The endpoints first, so that nothing more is sent.
  const removed = removedAccounts(access, [new WebhookEndpoints(audited), ...own.rows], own.noneUnderWay);
  const emptied = new EmptiedStores(access, plants);
  const undoing = new ImportUndoing(access, plants);
  const schema = async () => {
    try {
      await requireKnownSchema(access.db);
    } catch (error) {
      if (!(error instanceof UnusableDatabase)) throw error;
      onUnusable(error);
      throw storageUnavailable(error);
    }
  };
  let reads: Reads | undefined;
  const records: Records = {
    ...{ plants, requests, events, audit, faults, writable, watchSnapshot },
    usage: usageRecords(access),
    tokens: new Tokens(audited, schema),
    people: new People(audited, {
      store: removed.empty,
      async person(id) {
        while (await removeOwnEntries(access, id));
      },
    }),
    stores: new Stores(audited, removed.empty, emptied),
    members: memberRecords(audited),
    imports: importRecords(access, keepsEvents, (id) => undoing.begin(id)),
    leases: leaseRecords(access),
    keptSecret: (name, make) => keptSecret(access.db, name, make),
    async close() {
      own.stop();
      await reads?.close();
      await own.close();
    },
  };
  return {
    ...audited,
    records,
    mail,
    get reads() {
      reads ??= own.openReads();
      return reads;
    },
    jobs: [...own.jobs, removed.job, emptied.job, undoing.job, expiredRowsJob(access), schemaJob(schema)],
    ready: own.ready,
    reach: own.reach,
    requestCounts: own.requestCounts,
  };
}

/** Checks the schema even if no request arrives, since jobs would go on writing. */
function schemaJob(check: () => Promise<void>): Job {
  return { name: "schema", intervalMs: 5000, run: check };
}
