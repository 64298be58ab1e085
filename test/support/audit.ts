import { type AuditAction, operatorSource } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { RemovedAccount, Store } from "#core/store.ts";

/** The source of audit entries of tests that do not look at them. */
export const TEST_SOURCE = operatorSource("tests");

export function removal(number: AccountNumber): RemovedAccount {
  return { number, id: `account ${number}`, email: "removed@example.test" };
}

/** The actions in the audit log of an account, newest first. */
export async function auditedActions({ audit }: Pick<Store, "audit">, account: AccountNumber): Promise<AuditAction[]> {
  return (await audit.list(account, { limit: 100 })).map(({ action }) => action);
}
