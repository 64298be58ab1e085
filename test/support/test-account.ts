import type { Person } from "#core/person.ts";
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

/** Adds an account that signs in with PASSWORD, and its entry in the audit log, as the operator's command does. */
export async function addAccount(storage: Storage, email: string, password = QUICK_HASH): Promise<Person> {
  const id = crypto.randomUUID();
  const entry = { ...TEST_SOURCE, action: "account.created", target: id, detail: { email } } as const;
  await new Credentials(storage).add({ id, email, name: email.slice(0, email.indexOf("@")), password }, entry);
  const account = await storage.records.people.find({ email });
  if (!account) throw new Error("The account was not kept");
  return account;
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
