import { isDetachedAddress } from "#core/account.ts";
import type { Caller, CallerWithoutAccount } from "#core/caller.ts";
import { parseEmail } from "#core/email-address.ts";
import { Failure } from "#core/failure.ts";
import { type AlsoRevoked, ownAccount, type Person, type RemainingCredentials } from "#core/person.ts";
import type { NewStore } from "#core/records.ts";
import { type AccountUnit, accountExists, type PasswordChange } from "#storage/sign-in/credentials.ts";
import type { PasskeyRow } from "#storage/sign-in/passkeys.ts";
import type { Storage } from "#storage/storage.ts";
import { WebhookEndpoints } from "#storage/webhook-endpoints.ts";
import { hashPassword } from "./password.ts";
import { requireGoodPassword } from "./password-policy.ts";
import { signInTables } from "./sign-in-tables.ts";

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

  /** The store with that id, or the one that the person with that address made. */
  async require(account: string): Promise<Person> {
    const { people } = this.storage.records;
    const person = (await people.find({ email: account })) ?? (await people.find({ id: account }));
    if (!person) throw new Error(`There is no account with the e-mail address or the id ${account}`);
    return person;
  }

  /** Somebody who signs in with that address. */
  async requirePerson(email: string): Promise<Person> {
    const person = await this.require(email);
    if (isDetachedAddress(person.email)) throw new Error(`Nobody signs in with ${email}: it is the address of a store`);
    return person;
  }

  /**
   * Creates an account that signs in with a password, and what belongs to it. Throws "member-invalid", "account-exists", and
   * what the unit throws.
   */
  async add(
    { id = crypto.randomUUID(), email, password, name, emailVerified }: NewAccount,
    by: CallerWithoutAccount,
    unit?: AccountUnit,
  ): Promise<Person> {
    const address = requireEmail(email);
    await requireGoodPassword(password, address);
    if (await this.storage.records.people.find({ email: address })) throw accountExists();
    const given = { id, email: address, name: name ?? localPart(email), emailVerified };
    const entry = { ...by, action: "account.created", target: id, detail: { email: address } } as const;
    await this.tables.credentials.add({ ...given, password: await hashPassword(password, by) }, entry, unit);
    return this.require(address);
  }

  /** Ends all sessions and forgets trusted devices. Resolves with the credentials that still work. */
  async setPassword(
    email: string,
    password: string,
    also: AlsoRevoked,
    by: CallerWithoutAccount,
  ): Promise<RemainingCredentials> {
    const person = await this.requirePerson(email);
    return this.changePassword(person, password, also, { ...by, account: person.account });
  }

  /**
   * Ends every other session, every sign-in under way, and the trust in devices. `renewedSession` is the session that
   * made the change; it stays open. Resolves with the credentials that still work.
   */
  async changePassword(
    person: Person,
    password: string,
    also: AlsoRevoked & Pick<PasswordChange, "renewedSession" | "also">,
    caller: Caller,
  ): Promise<RemainingCredentials> {
    await requireGoodPassword(password, person.email);
    const action = caller.actor.kind === "operator" ? "password.reset_by_operator" : "password.changed";
    const entry = { ...caller, action, detail: endedDetail(also) } as const;
    const change = { ...also, password: await hashPassword(password, caller) };
    await this.tables.credentials.changePassword(person, change, [entry]);
    return this.tables.credentials.remaining(person);
  }

  /** For an owner who lost the device: the password alone is enough again, and all sessions end. Passkeys stay. */
  async dropSecondFactor(email: string, by: CallerWithoutAccount): Promise<void> {
    const person = await this.requirePerson(email);
    const ending = this.tables.credentials.ending(person);
    const entry = { ...by, account: person.account, action: "second_factor.disabled" } as const;
    await this.tables.secondFactors.remove(person, ending, entry);
  }

  async listPasskeys(email: string): Promise<PasskeyRow[]> {
    return this.tables.passkeys.list(await this.requirePerson(email));
  }

  /** Removes one passkey, or all, and ends all sessions. Resolves with them and the credentials that still work. */
  async removePasskeys(email: string, id: string | undefined, by: CallerWithoutAccount) {
    const person = await this.requirePerson(email);
    const { passkeys, credentials } = this.tables;
    const removed = (await passkeys.list(person)).filter((passkey) => id === undefined || passkey.id === id);
    if (id !== undefined && removed.length === 0) throw new Error(`The account has no passkey with the id ${id}`);
    const { account } = person;
    const entries = removed.map(
      ({ id: target, name }) => ({ ...by, account, action: "passkey.removed", target, detail: { name } }) as const,
    );
    await this.storage.audit.runAudited([...credentials.ending(person), passkeys.removing(person, id)], entries);
    return { removed, left: await credentials.remaining(person) };
  }

  /** Changes the name or the e-mail address; a new address is unverified. */
  async change(person: Person, { name = person.name, email }: PersonChange, caller: Caller): Promise<void> {
    const address = email === undefined ? person.email : requireEmail(email);
    const detail = {
      ...(name === person.name ? {} : { name }),
      ...(address === person.email ? {} : { email: address }),
    };
    if (Object.keys(detail).length === 0) return;
    await this.tables.credentials.change(person, detail, { ...caller, action: "settings.changed", detail });
  }

  /** Adds a store whose owner is who has that address or id. */
  async addStore(account: string, store: NewStore, by: CallerWithoutAccount): Promise<string> {
    const person = await this.require(account);
    if (isDetachedAddress(person.email))
      throw new Error(`Nobody signs in with ${person.email}, so that it can own nothing`);
    return this.storage.records.accounts.add(person, store, { ...by, account: person.account });
  }

  /** All that `remove` takes away, in numbers. */
  async removal(email: string): Promise<Removal> {
    const { people, plants } = this.storage.records;
    const person = await this.require(email);
    const isStore = isDetachedAddress(person.email);
    const accounts = isStore ? [person.account] : (await people.fates(person)).going.map(({ account }) => account);
    const removal = { people: isStore ? 0 : 1, stores: accounts.length, plants: 0, tokens: 0, endpoints: 0 };
    const endpoints = new WebhookEndpoints(this.storage);
    for (const account of accounts) {
      removal.plants += await plants.count(account);
      removal.tokens += (await this.storage.reads.tokens.list(account)).length;
      removal.endpoints += (await endpoints.list(account)).length;
    }
    return removal;
  }

  /** Removes the person with that address, or the store with it by whose row nobody signs in. */
  async remove(email: string, by: CallerWithoutAccount): Promise<void> {
    const { accounts, people } = this.storage.records;
    const person = await this.require(email);
    if (isDetachedAddress(person.email)) await accounts.remove(ownAccount(person), by);
    else await people.remove(person, by);
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

/** The name of who gives none. */
export function localPart(email: string): string {
  return email.slice(0, email.lastIndexOf("@"));
}

/** The address as it is compared; undefined if no account may have it. */
export function accountEmail(email: string): string | undefined {
  const address = parseEmail(email);
  return address !== undefined && isDetachedAddress(address) ? undefined : address;
}

/** As `accountEmail`. Throws "member-invalid". */
export function requireEmail(email: string): string {
  const address = accountEmail(email);
  if (address !== undefined) return address;
  throw new Failure("member-invalid", "The e-mail address must be like name@example.org");
}

export function codeRefused(): Failure {
  return new Failure(
    "sign-up-refused",
    "This link is not good any more; the newest start of the service printed another",
  );
}
