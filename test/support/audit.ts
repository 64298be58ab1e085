import { type AuditAction, operatorSource } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { RemovedAccount } from "#core/records.ts";

/** The source of audit entries of tests that do not look at them. */
export const TEST_SOURCE = operatorSource("tests");

export function removal(number: AccountNumber): RemovedAccount {
  return { number, id: `account ${number}`, email: "removed@example.test" };
}

/** The actions in the audit log of an account, newest first. */
export async function auditedActions(
  { reads }: { readonly reads: Pick<Reads, "audit"> },
  account: AccountNumber,
): Promise<AuditAction[]> {
  return (await reads.audit.list(account, { limit: 100 })).found.map(({ action }) => action);
}
