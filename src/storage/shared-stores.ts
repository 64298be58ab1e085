import type { Reads } from "#core/reads.ts";
import type { Store } from "#core/store.ts";
import { Accounts } from "./accounts.ts";
import { AuditLog } from "./audit.ts";
import type { DatabaseAccess, Queries } from "./database-access.ts";
import type { Events } from "./events.ts";
import { Leases } from "./leases.ts";
import { MailRows } from "./mail.ts";
import { type AccountRows, removedAccounts } from "./removed-accounts.ts";
import type { Storage, StorageOptions } from "./storage.ts";
import { Tokens } from "./tokens.ts";
import { UsageRows } from "./usage.ts";
import { WebhookEndpoints } from "./webhook-endpoints.ts";

/** The parts of a storage that each engine makes itself. */
interface EngineParts
  extends Pick<Store, "plants" | "requests" | "faults" | "writable" | "watchSnapshot">,
    Pick<Storage, "jobs" | "ready" | "databaseAway" | "requestCounts"> {
  readonly events: Events;
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
  { observer, sendsMail, isCommand }: StorageOptions,
  own: EngineParts,
): Storage {
  const { plants, requests, events, faults, writable, watchSnapshot } = own;
  const mail = new MailRows(access);
  const audit = new AuditLog(access, isCommand ? undefined : observer, sendsMail ? mail : undefined);
  const audited = { ...access, audit };
  const removed = removedAccounts(access.db, [...own.rows, new WebhookEndpoints(audited)], own.noneUnderWay);
  let reads: Reads | undefined;
  const store: Store = {
    ...{ plants, requests, events, audit, faults, writable, watchSnapshot },
    usage: new UsageRows(access),
    tokens: new Tokens(audited),
    accounts: new Accounts(audited, removed.empty),
    leases: new Leases(access),
    keptSecret: (name, make) => keptSecret(access.db, name, make),
    async close() {
      own.stop();
      events.close();
      await reads?.close();
      await own.close();
    },
  };
  return {
    ...audited,
    store,
    mail,
    get reads() {
      reads ??= own.openReads();
      return reads;
    },
    jobs: [...own.jobs, removed.job],
    ready: own.ready,
    databaseAway: own.databaseAway,
    requestCounts: own.requestCounts,
  };
}

/** The stored value with that name; the first caller makes it. */
async function keptSecret(db: Queries, name: string, make: () => string): Promise<string> {
  const kept = db.selectFrom("kept_secrets").select("value").where("name", "=", name);
  const found = await kept.executeTakeFirst();
  if (found) return found.value;
  const value = make();
  await db
    .insertInto("kept_secrets")
    .values({ name, value })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return (await kept.executeTakeFirstOrThrow()).value;
}
