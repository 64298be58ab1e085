import type { EventStore } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { RequestLogStore } from "#core/request-log.ts";
import type { PlantStore } from "#core/store.ts";
import { Accounts } from "./accounts.ts";
import { AuditLog } from "./audit.ts";
import type { DatabaseAccess } from "./database-access.ts";
import { Leases } from "./leases.ts";
import { MailRows } from "./mail.ts";
import type { Queries } from "./queries.ts";
import { type AccountRows, RemovedAccounts } from "./removed-accounts.ts";
import type { StorageOptions } from "./storage.ts";
import { Tokens } from "./tokens.ts";
import { UsageRows } from "./usage.ts";
import { WebhookEndpoints } from "./webhook-endpoints.ts";

/** The stores that each engine implements itself. */
interface EngineStores {
  readonly plants: PlantStore & AccountRows;
  readonly events: EventStore & AccountRows;
  readonly requests: RequestLogStore & AccountRows;
  /** Further rows of accounts that no foreign key removes with them. */
  readonly moreRows: readonly AccountRows[];
  /** Resolves with true if every transaction that began before that time has ended. */
  noneUnderWay(since: number): Promise<boolean>;
}

/**
 * Adds to an engine's own stores those that both engines share, which use only single statements and units of several.
 */
export function withSharedStores(
  access: DatabaseAccess,
  { plants, events, requests, moreRows, noneUnderWay }: EngineStores,
  { observer, sendsMail, isCommand }: Pick<StorageOptions, "observer" | "sendsMail" | "isCommand">,
) {
  const { db } = access;
  const usage = new UsageRows(access);
  const mail = new MailRows(access);
  const audit = new AuditLog(access, isCommand ? undefined : observer, sendsMail ? mail : undefined);
  const webhooks = new WebhookEndpoints({ ...access, audit });
  const rows = [plants, ...moreRows, events, webhooks, usage, audit, requests];
  const removedAccounts = new RemovedAccounts(db, rows, noneUnderWay);
  const store = {
    plants,
    events,
    usage,
    audit,
    requests,
    tokens: new Tokens(access, audit),
    accounts: new Accounts(db, audit, (account: AccountNumber) => removedAccounts.empty(account)),
    leases: new Leases(access),
    keptSecret: (name: string, make: () => string) => keptSecret(db, name, make),
  };
  return { store, audit, mail, removalJob: removedAccounts.job };
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
