import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { AccountService } from "#accounts/account-service.ts";
import { InvitationService } from "#accounts/invitation-service.ts";
import { TokenService } from "#accounts/token-service.ts";
import { type Caller, type CallerWithoutAccount, operator } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import { type Invitation, invitationLink } from "#core/member.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { Records } from "#core/records.ts";
import { openStorage } from "#storage/open.ts";
import { startProblem } from "../process/start-problem.ts";
import { readSettings, sqlitePath } from "../settings.ts";

export interface Operator {
  readonly records: Records;
  readonly reads: Reads;
  readonly accounts: AccountService;
  readonly tokens: TokenService;
  readonly source: CallerWithoutAccount;
  /** Rejects with "member-already" and "account-limit". */
  invite(caller: Caller, invited: Pick<Invitation, "email" | "role">): Promise<{ readonly link: string }>;
}

/** Runs an operator's command on the database of DATABASE_URL, beside any server that uses it. */
export async function asOperator<T>(
  act: (operator: Operator) => Promise<T>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<T> {
  const settings = readSettings(environment);
  const { DATABASE_URL, SMTP_URL, BASE_URL, PORT } = settings;
  const file = sqlitePath(settings);
  const isNew = file !== undefined && !existsSync(file);
  const origin = BASE_URL === undefined ? `http://127.0.0.1:${PORT}` : new URL(BASE_URL).origin;
  const opening = openStorage(DATABASE_URL, { sendsMail: SMTP_URL !== undefined, isCommand: true });
  const storage = await opening.catch((error) => {
    throw startProblem(error, settings);
  });
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
      async invite(caller, invited) {
        const { secret } = await new InvitationService(storage, false).make(caller, invited);
        return { link: invitationLink(origin, secret) };
      },
    });
  } catch (error) {
    // A Failure has a reason of its own, such as a mistyped e-mail address.
    if (isNew && error instanceof Error && !(error instanceof Failure))
      error.message += `. ${resolve(file)} was made just now: is DATABASE_URL right?`;
    throw error;
  } finally {
    await records.close();
  }
}

/** The same in a store, by its id, or by the address of a person who owns no other. */
export function inStore<T>(
  account: string,
  act: (operator: Operator, caller: Caller) => Promise<T>,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<T> {
  return asOperator(async (operator) => {
    const store = await requireStore(operator.records, account);
    return act(operator, { ...operator.source, account: store });
  }, environment);
}

/** Throws "member-invalid" for the address of a person who owns none or several. */
async function requireStore({ stores, people, members }: Records, account: string): Promise<AccountNumber> {
  const store = await stores.find({ id: account });
  if (store) return store.number;
  const person = await people.find({ email: account });
  if (!person) throw new Error(`There is no store with the id, and no account with the e-mail address, ${account}`);
  const owned = (await members.storesOf(person)).filter(({ role }) => role === "owner");
  const [first, ...others] = owned;
  if (first && others.length === 0) return first.account;
  const listed = owned.map(({ id, name }) => `${id} (${name})`).join(", ");
  const which = first
    ? `owns ${owned.length} stores: name one by its id, of ${listed}`
    : "owns no store: name one by its id";
  throw new Failure("member-invalid", `${person.email} ${which}`);
}

/** By the system's list of users, since the runtime's own look-up knows USER alone, which jobs and containers may lack. */
export function currentOperator(users = "/etc/passwd"): CallerWithoutAccount {
  const uid = String(process.getuid?.());
  return operator(userName(users, uid) || process.env.USER || `user ${uid}`);
}

/** Undefined too where the list is missing, or kept from this process. */
function userName(users: string, uid: string): string | undefined {
  try {
    const lines = readFileSync(users, "utf8").split("\n");
    return lines.map((line) => line.split(":")).find(([, , id]) => id === uid)?.[0];
  } catch {
    return undefined;
  }
}
