import { type Selectable, sql } from "kysely";
import type { StoreCaller } from "#core/caller.ts";
import type { Suspension } from "#core/store.ts";
import type { AuditedAccess } from "./audit.ts";
import type { Queries } from "./database-access.ts";
import type { Schema } from "./schema.ts";

type SuspensionRow = Pick<Selectable<Schema["stores"]>, "suspended_at" | "suspension_reason">;

export function suspensionOf({ suspended_at, suspension_reason }: SuspensionRow): Suspension | undefined {
  return suspended_at === null ? undefined : { reason: suspension_reason ?? undefined };
}

/**
 * Suspends the store, or resumes it if there is no suspension. Resolves with false if it is so already. Its webhook endpoints
 * are handed out anew either way, so that the node that delivers to them stops.
 */
export function setSuspension(
  { db, audit }: AuditedAccess,
  caller: StoreCaller,
  suspension: Suspension | undefined,
): Promise<boolean> {
  const { account } = caller;
  const reason = suspension?.reason;
  const changed = db
    .updateTable("stores")
    .set({ suspended_at: suspension ? Date.now() : null, suspension_reason: reason ?? null })
    .where("number", "=", account)
    .where("suspended_at", suspension ? "is" : "is not", null);
  const next = sql<number>`revision + 1`;
  const handedOut = db
    .updateTable("webhook_endpoints")
    .set({ revision: next, restart_revision: next })
    .where("account", "=", account);
  const action = suspension ? "account.suspended" : "account.resumed";
  const entry = { ...caller, action, ...(reason === undefined ? {} : { detail: { reason } }) } as const;
  return audit.runAuditedIfChanged(changed, [entry], [handedOut]);
}

/** The numbers of the suspended stores. */
export function suspendedStores(db: Queries) {
  return db.selectFrom("stores").select("number").where("suspended_at", "is not", null);
}
