import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { AccountService, type Removal } from "#accounts/account-service.ts";
import { InvitationService } from "#accounts/invitation-service.ts";
import { TokenService } from "#accounts/token-service.ts";
import { type Caller, operator, type StoreCaller } from "#core/caller.ts";
import { Failure, MissingDatabase } from "#core/failure.ts";
import { type Invitation, invitationLink } from "#core/member.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { Records } from "#core/records.ts";
import { openStorage } from "#storage/open.ts";
import type { Storage } from "#storage/storage.ts";
import { isFromFile } from "../environment-file.ts";
import { handover } from "../process/handover.ts";
import { startProblem } from "../process/start-problem.ts";
import { typingUserName } from "../process/user-name.ts";
import { postgresUrl } from "../setting-values.ts";
import { readSettings, type Settings, sqlitePath } from "../settings.ts";

export type { Removal };

export interface Operator {
  readonly records: Records;
  readonly reads: Reads;
  readonly accounts: AccountService;
  readonly tokens: TokenService;
  readonly source: Caller;
  /** Rejects with "member-already" and "account-limit". */
  invite(caller: StoreCaller, invited: Pick<Invitation, "email" | "role">): Promise<{ readonly link: string }>;
}

/** Runs an operator's command on the database of DATABASE_URL, beside any server that uses it. */
export async function asOperator<T>(
  act: (operator: Operator) => Promise<T>,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<T> {
  const settings = readSettings(environment);
  const { BASE_URL, PORT } = settings;
  const origin = BASE_URL === undefined ? `http://127.0.0.1:${PORT}` : new URL(BASE_URL).origin;
  const storage = await openExisting(settings);
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
    throw withCause(error, settings);
  } finally {
    await records.close();
  }
}

/** The cause too of a refusal by the storage, which a client is not told. */
function withCause(error: unknown, settings: Settings): unknown {
  if (!(error instanceof Failure) || error.code !== "unavailable" || !(error.cause instanceof Error)) return error;
  const problem = "cannot take or give it just now, and nothing was kept";
  return new Error(`${addressOf(settings)} ${problem}: ${error.cause.message}`, { cause: error });
}

/** Opens the database of the settings for a command, which makes none and brings none up to date. */
export async function openExisting(settings: Settings): Promise<Storage> {
  const { DATABASE_URL, SMTP_URL } = settings;
  const opening = openStorage(DATABASE_URL, { sendsMail: SMTP_URL !== undefined, isCommand: true, migrates: false });
  return opening.catch(async (error) => {
    throw error instanceof MissingDatabase ? missing(settings) : await startProblem(error, settings);
  });
}

/** Throws MissingDatabase for a file that is not there. */
export function requireDatabaseFile(settings: Settings): void {
  const path = sqlitePath(settings);
  if (path !== undefined && !existsSync(path)) throw missing(settings);
}

/** The settings of an installation by deploy/plantstore.service. */
const INSTALLED_SETTINGS = "/etc/plantstore.env";

function missing(settings: Settings): MissingDatabase {
  const advice =
    existsSync(INSTALLED_SETTINGS) && !isFromFile("DATABASE_URL")
      ? `add --env-file ${INSTALLED_SETTINGS}`
      : "set DATABASE_URL to the service's, or start the service, which makes it";
  return new MissingDatabase(`There is no database at ${addressOf(settings)}: ${advice}`);
}

/** The address of the database without the user and the password. */
export function addressOf(settings: Settings): string {
  const path = sqlitePath(settings);
  if (path !== undefined) return `sqlite:${resolve(path)}`;
  const { host = "", pathname = "" } = postgresUrl(settings.DATABASE_URL) ?? {};
  return `postgres://${host}${pathname}`;
}

/** The same in a store, by its id, or by the address of a person who owns no other. */
export function inStore<T>(
  account: string,
  act: (operator: Operator, caller: StoreCaller) => Promise<T>,
  environment?: Readonly<Record<string, string | undefined>>,
): Promise<T> {
  return asOperator(async (operator) => {
    const store = await storeNumber(operator, account);
    return act(operator, { ...operator.source, account: store });
  }, environment);
}

/** Throws "member-invalid" for the address of a person who owns none or several. */
export async function storeNumber({ records }: Pick<Operator, "records">, account: string): Promise<AccountNumber> {
  const { stores, people, members } = records;
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

export function currentOperator(users?: string): Caller {
  return operator(handover().typedBy ?? typingUserName(users));
}
