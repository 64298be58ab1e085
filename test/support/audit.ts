import { operatorSource } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { RemovedAccount } from "#core/store.ts";

/** The source of audit entries of tests that do not look at them. */
export const TEST_SOURCE = operatorSource("tests");

export function removal(number: AccountNumber): RemovedAccount {
  return { number, id: `account ${number}`, email: "removed@example.test" };
}
