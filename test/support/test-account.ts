import type { Person } from "#core/person.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { PersonKey } from "#core/records.ts";
import { openStorage } from "#storage/open.ts";
import { Credentials } from "#storage/sign-in/credentials.ts";
import type { Storage } from "#storage/storage.ts";
import { TEST_SOURCE } from "./audit.ts";

/** The hash of PASSWORD (test-browser.ts) with the least effort: most tests sign in, and few of them are about that. */
export const QUICK_HASH =
  "$argon2id$v=19$m=8,t=1,p=1$Rr8FybS2uIofAT2/MqsAjYA8/fxEOyjsyzuw3T4eNCc$x/cB25p6d0h97lCsJEhSeereUgakMbobTIVemdtyqwk";

/** Another with the effort of `hashPassword`. */
export const SLOW_HASH =
  "$argon2id$v=19$m=19456,t=2,p=1$kf1GhIOvrHcoM5FPYdEy6u24fvKaw3+EsLsS2dKpxhQ$pseEvxehPpboiQK1yjjmANpOSzjzRrTksBQK8YtN5E8";

/** A person, with the store that they joined first. */
export interface Holder extends Person {
  readonly account: AccountNumber;
  readonly storeId: string;
}

/** Adds an account that signs in with PASSWORD, with a store, as the operator's command does. */
export async function addAccount(
  storage: Storage,
  email: string,
  password: string | undefined = QUICK_HASH,
): Promise<Holder> {
  const id = crypto.randomUUID();
  const name = email.slice(0, email.indexOf("@"));
  const store = { id: crypto.randomUUID(), name, isTest: false };
  const act = { ...TEST_SOURCE, action: "account.created", target: id, detail: { email } } as const;
  await new Credentials(storage).add({ id, email, name, password, store }, act);
  return findHolder(storage, { id });
}

export async function findHolder({ records }: Pick<Storage, "records">, by: PersonKey): Promise<Holder> {
  const person = await records.people.find(by);
  const [store] = person ? await records.members.storesOf(person) : [];
  if (!person || !store) throw new Error("The account was not kept");
  return { ...person, account: store.account, storeId: store.id };
}

/** Acts on the database of a service with those settings, beside it. */
export async function onDatabase<T>(
  { DATABASE_URL = "", SMTP_URL }: Readonly<Record<string, string>>,
  act: (storage: Storage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(DATABASE_URL, { sendsMail: SMTP_URL !== undefined });
  try {
    return await act(storage);
  } finally {
    await storage.records.close();
  }
}
