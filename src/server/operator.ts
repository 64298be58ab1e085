import { AccountService } from "#accounts/account-service.ts";
import type { Store } from "#core/store.ts";
import { newSecret } from "#core/token.ts";
import { openStorage } from "#storage/open.ts";
import { readSettings } from "./settings.ts";

/** What the operator's commands act on. */
export interface Operator {
  readonly store: Store;
  readonly accounts: AccountService;
  close(): Promise<void>;
}

export async function openOperator(environment: Readonly<Record<string, string | undefined>>): Promise<Operator> {
  const storage = await openStorage(readSettings(environment).DATABASE_URL);
  return { store: storage.store, accounts: new AccountService(storage), close: () => storage.store.close() };
}

/** A new token's secret, from the operating system's randomness. */
export function newTokenSecret(): string {
  return newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
}
