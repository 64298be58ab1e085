import { userInfo } from "node:os";
import { AccountService } from "#accounts/account-service.ts";
import { TokenService } from "#accounts/token-service.ts";
import { type CallerWithoutAccount, operator } from "#core/caller.ts";
import type { Reads } from "#core/reads.ts";
import type { Records } from "#core/records.ts";
import { openStorage } from "#storage/open.ts";
import { readSettings } from "./settings.ts";

export interface Operator {
  readonly records: Records;
  readonly reads: Reads;
  readonly accounts: AccountService;
  readonly tokens: TokenService;
  readonly source: CallerWithoutAccount;
}

/** Runs an operator's command on the database of DATABASE_URL, beside any server that uses it. */
export async function asOperator<T>(
  act: (operator: Operator) => Promise<T>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<T> {
  const { DATABASE_URL, SMTP_URL } = readSettings(environment);
  const storage = await openStorage(DATABASE_URL, { sendsMail: SMTP_URL !== undefined, isCommand: true });
  const { records } = storage;
  try {
    return await act({
      records,
      get reads() {
        return storage.reads;
      },
      accounts: new AccountService(storage),
      tokens: new TokenService(records),
      source: currentOperator(),
    });
  } finally {
    await records.close();
  }
}

export function currentOperator(): CallerWithoutAccount {
  return operator(loginName());
}

/** A container may run under a user id without a name. */
function loginName(): string {
  try {
    return userInfo().username;
  } catch {
    return "operator";
  }
}
