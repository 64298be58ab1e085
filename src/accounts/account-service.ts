import type { Caller } from "#core/caller.ts";
import { comparedEmail, parseEmail } from "#core/email-address.ts";
import { Failure } from "#core/failure.ts";
import type { Membership } from "#core/member.ts";
import { type AlsoRevoked, PERSON_NAME_LENGTH_MAX, type Person, type RemainingCredentials } from "#core/person.ts";
import { type NewStore, storeNameProblem } from "#core/store.ts";
import { removedPerson } from "#storage/removed-logs.ts";
import { accountExists, type PasswordChange, type PersonUnit } from "#storage/sign-in/credentials.ts";
import type { PasskeyRow } from "#storage/sign-in/passkeys.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { signInTables } from "./sign-in-tables.ts";
import { trimmedName } from "./token-service.ts";

export interface PersonChange {
  readonly name?: string | undefined;
  readonly email?: string | undefined;
}

export interface NewAccount {
  readonly id?: string;
  readonly email: string;
  readonly password: string;
  readonly name?: string | undefined;
  /** True for whoever has shown that they read the mail to the address. */
  readonly emailVerified?: boolean;
  /** The name of the store that they make, if it is not theirs; null if they make none. */
  readonly storeName?: string | null | undefined;
}

/** How much goes with an account. */
export interface Removal {
  readonly people: number;
  readonly stores: number;
  readonly plants: number;
  readonly tokens: number;
  readonly endpoints: number;
}

/**
 * The rules for creating and changing accounts, for the operator's commands and for the dashboard. Each change is
 * entered in the audit log.
 */
export class AccountService {
  constructor(
    private readonly storage: Storage,
    private readonly tables = signInTables(storage),
  ) {}

  /** Somebody who signs in with that address. */
  async requirePerson(email: string): Promise<Person> {
    const person = await this.storage.records.people.find({ email });
    if (!person) throw new Error(`There is no account with the e-mail address ${email}`);
    return person;
  }

  /** The id of somebody who was removed, unless somebody else has the address since. */
  async removedPerson(email: string): Promise<string | undefined> {
    if (await this.storage.records.people.find({ email })) return undefined;
    return removedPerson(this.storage.db, comparedEmail(email));
  }

  /**
   * Creates a person who signs in with a password, and their store. Throws "member-invalid", "account-exists", and what the
   * unit throws.
   */
  async add(
    { id = crypto.randomUUID(), email, password, name = localPart(email), emailVerified, storeName = name }: NewAccount,
    by: Caller,
    unit?: PersonUnit,
  ): Promise<Person> {
    const address = requireEmail(email);
    trimmedName(name, PERSON_NAME_LENGTH_MAX, "The name");
    if (storeName !== null) requireStoreName(storeName);
    await requireGoodPassword(password, address);
    if (await this.storage.records.people.find({ email: address })) throw accountExists();
    const store = storeName === null ? undefined : { id: crypto.randomUUID(), name: storeName, isTest: false };
    const person = { id, email: address, name, emailVerified, store, password: await hashPassword(password, by) };
    const act = { ...by, action: "account.created", target: id, detail: { email: address } } as const;
    await this.tables.credentials.add(person, act, unit);
    return this.requirePerson(address);
  }

  /** Ends all sessions and forgets trusted devices. Resolves with the credentials that still work. */
  async setPassword(email: string, password: string, also: AlsoRevoked, by: Caller): Promise<RemainingCredentials> {
    return this.changePassword(await this.requirePerson(email), password, also, by);
  }

  /**
   * Ends every other session, every sign-in under way, and the trust in devices. `renewedSession` is the session that
   * made the change; it stays open. Resolves with the credentials that still work.
   */
  async changePassword(
    person: Person,
    password: string,
    also: AlsoRevoked & Pick<PasswordChange, "renewedSession" | "also">,
    by: Caller,
  ): Promise<RemainingCredentials> {
    await requireGoodPassword(password, person.email);
    const action = by.actor.kind === "operator" ? "password.reset_by_operator" : "password.changed";
    const entry = { ...by, ofPerson: person.id, action, detail: endedDetail(also) } as const;
    const change = { ...also, password: await hashPassword(password, by) };
    await this.tables.credentials.changePassword(person, change, [entry]);
    return this.tables.credentials.remaining(person);
  }

  /** Helps an owner who lost the device: the password alone suffices again, and all sessions end. Passkeys stay. */
  async dropSecondFactor(email: string, by: Caller): Promise<void> {
    const person = await this.requirePerson(email);
    const ending = this.tables.credentials.ending(person);
    const entry = { ...by, ofPerson: person.id, action: "second_factor.disabled" } as const;
    // It resolves with false for who has none: their sessions go on.
    await this.tables.secondFactors.remove(person, ending, entry);
  }

  async listPasskeys(email: string): Promise<PasskeyRow[]> {
    return this.tables.passkeys.list(await this.requirePerson(email));
  }

  /** Removes one passkey, or all, and ends all sessions. Resolves with them and the credentials that still work. */
  async removePasskeys(email: string, id: string | undefined, by: Caller) {
    const person = await this.requirePerson(email);
    const { passkeys, credentials } = this.tables;
    const removed = (await passkeys.list(person)).filter((passkey) => id === undefined || passkey.id === id);
    if (id !== undefined && removed.length === 0) throw new Error(`The account has no passkey with the id ${id}`);
    const entries = removed.map(({ id: target, name }) => {
      return { ...by, ofPerson: person.id, action: "passkey.removed", target, detail: { name } } as const;
    });
    await this.storage.audit.runAudited([...credentials.ending(person), passkeys.removing(person, id)], entries);
    return { removed, left: await credentials.remaining(person) };
  }

  /** Changes the name or the e-mail address; a new address is unverified. */
  async change(person: Person, { name = person.name, email }: PersonChange, by: Caller): Promise<void> {
    const address = email === undefined ? person.email : requireEmail(email);
    const detail = {
      ...(name === person.name ? {} : { name }),
      ...(address === person.email ? {} : { email: address }),
    };
    if (Object.keys(detail).length === 0) return;
    const entry = { ...by, ofPerson: person.id, action: "settings.changed", detail } as const;
    await this.tables.credentials.change(person, detail, entry);
  }

  /** Adds a store whose owner is who has that address. */
  async addStore(email: string, store: NewStore, by: Caller): Promise<string> {
    requireStoreName(store.name);
    return this.storage.records.stores.add(await this.requirePerson(email), store, true, by);
  }

  /** All that `remove` takes away, in numbers. */
  async removal(email: string): Promise<Removal> {
    const stores = await this.storage.records.people.storesAfterRemoval(await this.requirePerson(email));
    const going = stores.filter(({ fate }) => fate === "deleted");
    return { ...(await this.storeRemoval(going)), people: 1 };
  }

  /** All that goes with these stores, in numbers. */
  async storeRemoval(stores: readonly Pick<Membership, "account">[]): Promise<Removal> {
    const removal = { people: 0, stores: stores.length, plants: 0, tokens: 0, endpoints: 0 };
    const endpoints = new WebhookEndpoints(this.storage);
    for (const { account } of stores) {
      removal.plants += await this.storage.records.plants.count(account);
      removal.tokens += (await this.storage.reads.tokens.list(account)).length;
      removal.endpoints += (await endpoints.list(account)).length;
    }
    return removal;
  }

  /** Ends their sign-in and all sessions; their stores and tokens go on. Resolves with false if it is so already. */
  async suspend(email: string, by: Caller): Promise<boolean> {
    const person = await this.requirePerson(email);
    const suspended = this.#suspending(person, Date.now()).where("suspended_at", "is", null);
    const entry = { ...by, ofPerson: person.id, action: "account.suspended" } as const;
    return this.storage.audit.runAuditedIfChanged(suspended, [entry], this.tables.credentials.ending(person));
  }

  /** Lets them sign in again. Resolves with false if they may. */
  async resume(email: string, by: Caller): Promise<boolean> {
    const person = await this.requirePerson(email);
    const resumed = this.#suspending(person, null).where("suspended_at", "is not", null);
    const entry = { ...by, ofPerson: person.id, action: "account.resumed" } as const;
    return this.storage.audit.runAuditedIfChanged(resumed, [entry]);
  }

  #suspending({ id }: Person, suspended_at: number | null) {
    return this.storage.db.updateTable("people").set({ suspended_at }).where("id", "=", id);
  }

  /** Removes the person with that address, and the stores that are nobody else's. */
  async remove(email: string, by: Caller): Promise<void> {
    await this.storage.records.people.remove(await this.requirePerson(email), undefined, by);
  }
}

/** The part of an audit entry that says what else ended with the password. */
export function endedDetail(ended: AlsoRevoked) {
  const { revokeTokens = false, removePasskeys = false, removeIdentities = false, disableWebhooks = false } = ended;
  return {
    tokens_revoked: revokeTokens,
    passkeys_removed: removePasskeys,
    ...(removeIdentities ? { identities_removed: true } : {}),
    webhooks_disabled: disableWebhooks,
  };
}

function requireStoreName(name: string): void {
  const problem = storeNameProblem(name);
  if (problem) throw new Failure("member-invalid", `The store's name ${problem}`);
}

/** The name of who gives none. */
export function localPart(email: string): string {
  return email.slice(0, email.lastIndexOf("@"));
}

/** The address as it is compared. Throws "member-invalid". */
export function requireEmail(email: string): string {
  const address = parseEmail(email);
  if (address !== undefined) return address;
  throw new Failure("member-invalid", "The e-mail address must be like name@example.org");
}

export function codeRefused(): Failure {
  return new Failure(
    "sign-up-refused",
    "This link is not good any more; the newest start of the service printed another",
  );
}
