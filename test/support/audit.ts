import type { Account } from "#core/account.ts";
import type { AuditAction } from "#core/audit.ts";
import { type Caller, operator } from "#core/caller.ts";
import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";

/** Who acts in tests that do not look at it. */
export const TEST_SOURCE = operator("tests");

export function testCaller(account: AccountNumber): Caller {
  return { ...TEST_SOURCE, account };
}

/** The person of a session, as who acts in the account that they made. */
export function sessionCaller({ id: person, account, email }: Person, session: string): Caller {
  return { account, person, actor: { kind: "session", id: session, name: email } };
}

export function removal(number: AccountNumber): Account {
  return { number, id: `account ${number}`, email: "removed@example.test", createdAt: 0 };
}

/** The actions in the audit log of an account, newest first. */
export async function auditedActions(
  { reads }: { readonly reads: Pick<Reads, "audit"> },
  account: AccountNumber,
): Promise<AuditAction[]> {
  return (await reads.audit.list(account, { limit: 100 })).found.map(({ action }) => action);
}
