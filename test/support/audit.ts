import type { AuditAction, AuditLogKey } from "#core/audit.ts";
import { operator, type StoreCaller } from "#core/caller.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { Session } from "#core/session.ts";
import type { Holder } from "./test-account.ts";

/** Who acts in tests that do not look at it. */
export const TEST_SOURCE = operator("tests");

export function testCaller(account: AccountNumber): StoreCaller {
  return { ...TEST_SOURCE, account };
}

/** The person of a session, as who acts in no store. */
export function personCaller({ id: person, email }: Person, session: string): Session["caller"] {
  return { person, actor: { kind: "session", id: session, name: email } };
}

/** The same in their store. */
export function sessionCaller({ account, ...person }: Holder, session: string): StoreCaller {
  return { ...personCaller(person, session), account };
}

/** The actions in the audit log of a store or a person, newest first. */
export async function auditedActions(
  { reads }: { readonly reads: Pick<Reads, "audit"> },
  log: AuditLogKey,
): Promise<AuditAction[]> {
  return (await reads.audit.list(log, { limit: 100 })).found.map(({ action }) => action);
}
