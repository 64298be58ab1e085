import type { AuditEntry } from "./audit.ts";
import type { Actor, Caller, StoreCaller } from "./caller.ts";
import type { EventRecords } from "./event.ts";
import type { Doer } from "./event-actor.ts";
import type { ImportCounts } from "./import.ts";
import type { LeaseRecords } from "./job.ts";
import type { Member, Membership } from "./member.ts";
import type { Person } from "./person.ts";
import type {
  AccountNumber,
  CreateOutcome,
  ListedPlant,
  LongPlant,
  NewPlant,
  Plant,
  PlantPatch,
  PlantRemoval,
  PlantUpdate,
  PutPlant,
  RemovalOutcome,
  UpdateOutcome,
} from "./plant.ts";
import type { RequestLogRecords } from "./request-log.ts";
import type { Role } from "./role.ts";
import type { NewStore, Store, Suspension } from "./store.ts";
import type { Scope, Token } from "./token.ts";
import type { RequestSpan } from "./trace.ts";
import type { LatencyCount, UsageCount } from "./usage.ts";

/**
 * All writes, and the reads whose cost is bounded (`./reads.ts` has the others). Each engine keeps the same promises:
 * - A promise that a write resolves means it is on disk (on a synchronous standby too, where there is one).
 * - Every method rejects with the Failure "unavailable" when storage cannot take or give it; nothing of it is kept.
 * - Every method about plants or tokens reaches one account only, the one that it is given.
 */
export interface Records {
  readonly plants: PlantRecords;
  readonly tokens: TokenRecords;
  readonly people: PersonRecords;
  readonly stores: StoreRecords;
  readonly members: MemberRecords;
  readonly usage: UsageRecords;
  readonly events: EventRecords;
  readonly audit: AuditRecords;
  readonly requests: RequestLogRecords;
  readonly imports: ImportRecords;
  readonly leases: LeaseRecords;
  /** Returns a secret that the first caller made, the same on every node and after every restart. */
  keptSecret(name: string, make: () => string): Promise<string>;
  /**
   * Tries to write. Resolves if the storage is ready; rejects with "unavailable" otherwise, also while a disk that was full
   * has no room for a usual write.
   */
  writable(): Promise<void>;
  /** Faults that an operator should resolve although the service works, such as a missing search index. */
  faults(): readonly string[];
  /**
   * Watches a snapshot that lasts. `end` is called once, with the reason, if it holds back more than storage can bear and
   * must be let go. The returned function ends the watch.
   */
  watchSnapshot(end: (reason: string) => void): () => void;
  /** Resolves once every accepted write is on disk or refused. Later writes are refused. */
  close(): Promise<void>;
}

/**
 * A write that is given the span of its request reports to the observer which transaction held it. `by` is stored with the
 * event, and left out for creates by a program.
 */
export interface PlantRecords {
  /** Group commit: resolves after the transaction that holds the plant is on disk. */
  create(account: AccountNumber, plant: NewPlant, span?: RequestSpan, by?: Doer): Promise<CreateOutcome>;
  /**
   * Creates many plants, with one outcome each, in order. A later plant with the same id meets the earlier one. If
   * storage fails, the whole slice rejects and nothing of it is stored. Slices of a few hundred are short enough to let
   * single creates pass.
   */
  createMany(
    account: AccountNumber,
    plants: readonly NewPlant[],
    span?: RequestSpan,
    by?: Doer,
  ): Promise<CreateOutcome[]>;
  /** Finds a plant; its texts are left out if they are long, since they may be a MiB. */
  find(account: AccountNumber, id: bigint): Promise<Plant | LongPlant | undefined>;
  /**
   * Changes the plant if `allows` accepts it at that moment. Rejects with "plant-unknown", or with the error that
   * `allows` throws. `allows` must be pure, since it may be called again.
   */
  change(
    account: AccountNumber,
    id: bigint,
    patch: PlantPatch,
    allows: PlantCondition,
    span?: RequestSpan,
    by?: Doer,
  ): Promise<Plant>;
  remove(account: AccountNumber, id: bigint, allows: PlantCondition, span?: RequestSpan, by?: Doer): Promise<void>;
  /**
   * Creates or replaces the plant of that id, if `allows` accepts what is there at that moment: a plant, or undefined.
   * Rejects with the error that `allows` throws, which must be pure.
   */
  put(
    account: AccountNumber,
    plant: NewPlant,
    allows: PutCondition,
    span: RequestSpan | undefined,
    by: Doer,
  ): Promise<PutPlant>;
  /**
   * Creates or changes many plants, with one outcome each. Records of one id apply in their order. If storage fails, the
   * slice rejects and some of it may be stored: the same again does the rest.
   */
  updateMany(
    account: AccountNumber,
    updates: readonly PlantUpdate[],
    span: RequestSpan | undefined,
    by: Doer,
  ): Promise<UpdateOutcome[]>;
  /** Removes many plants, as `updateMany` changes them. */
  removeMany(
    account: AccountNumber,
    removals: readonly PlantRemoval[],
    span: RequestSpan | undefined,
    by: Doer,
  ): Promise<RemovalOutcome[]>;
  /** The plants with these ids, in their order; those with more than `bytesMax` of text without it. */
  findMany(
    account: AccountNumber,
    ids: readonly bigint[],
    bytesMax: number,
  ): Promise<(Plant | LongPlant | undefined)[]>;
  /** A page without a filter, if it is short: undefined if a reading thread has to read it (`PlantReads.list`). */
  listShort(account: AccountNumber, query: PlantQuery): Promise<ShortPage | undefined>;
  /** Read from a stored counter. */
  count(account: AccountNumber): Promise<number>;
}

/** Imports by pages. Each belongs to one store. */
export interface ImportRecords {
  /**
   * Resolves with the id of a new import; beyond 1,000 of them the store's oldest is forgotten. Rejects with
   * "address-unknown" where no events are kept, since nothing could be undone.
   */
  begin(account: AccountNumber, fileName: string, by: Actor<"event">): Promise<string>;
  /** Rejects with "address-malformed" for an import that the store does not have, or that takes no more plants. */
  requireOpen(account: AccountNumber, id: string): Promise<void>;
  /** Adds to the counts. Rejects with "address-malformed" if it is being undone, which then includes what was counted. */
  count(account: AccountNumber, id: string, counts: ImportCounts): Promise<void>;
  /**
   * Begins to undo it, as that person; once more if that is over. Another node, or this one after a restart, goes on if this
   * one ends. Rejects with "resource-unknown".
   */
  undo(account: AccountNumber, id: string, by: Actor<"event">): Promise<void>;
}

/** A change or a removal that is made whatever the plant is. */
export const ALWAYS = (): void => {};
export type PlantCondition = (plant: Plant) => void;
export type PutCondition = (plant: Plant | undefined) => void;

export interface PlantQuery {
  readonly order: "id" | "-created_at";
  /** From 1 to 1000. */
  readonly limit: number;
  /** Only plants with exactly this tag; "" is the empty tag. Undefined is no filter. */
  readonly tag: string | undefined;
  /**
   * Words that the name must hold, in any order, apart or within others, folded by `./fold.ts`. Undefined,
   * "" and white space are no filter.
   */
  readonly q: string | undefined;
  /** Only plants after this position in the order: an id for "id", an insertion number for "-created_at". */
  readonly after: bigint | undefined;
}

export type PlantChoice = Pick<PlantQuery, "tag" | "q">;

/** A page as it is listed. */
export interface ShortPage {
  readonly plants: readonly ListedPlant[];
  /** As that of `PlantPage`. */
  readonly next: bigint | undefined;
}

export interface PlantPage {
  readonly plants: readonly Plant[];
  /**
   * The position where the next page starts; undefined at the end. A page may be short and still have a next one, and
   * one for which plants were looked for in vain for a second may be empty.
   */
  readonly next: bigint | undefined;
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | undefined;
}

/**
 * The tokens. A change of a token and its entry in the audit log are one unit of work. It rejects with "resource-unknown" if
 * the account has no such token.
 */
export interface TokenRecords {
  /** Rejects with "account-limit" if the account has as many active tokens as it may. */
  add(caller: StoreCaller, token: NewToken, secret: string): Promise<Token>;
  find(account: AccountNumber, id: string): Promise<Token | undefined>;
  rename(caller: StoreCaller, id: string, name: string): Promise<Token>;
  /**
   * Adds a token with the name and scopes of the old one, which then ends at `endsAt`; either both happen or neither.
   * Only an active one is rolled. Rejects with "account-limit".
   */
  roll(caller: StoreCaller, id: string, roll: TokenRoll): Promise<Token>;
  revoke(caller: StoreCaller, id: string): Promise<Token>;
  /** Resolves with the number of tokens that were active. */
  revokeAll(caller: StoreCaller): Promise<number>;
  /** Revokes a token of any store, for the operator, who knows only its id. Undefined if there is no such token. */
  revokeAny(id: string, by: Caller): Promise<Token | undefined>;
  /** The tokens with these hashes (SHA-256 of their secrets, 32 bytes each), in one query. */
  findByHash(hashes: readonly Uint8Array[]): Promise<Map<string, FoundToken>>;
  /** Sets the time of last use (milliseconds since 1970) by token id. An older time never replaces a newer one. */
  markUsed(times: ReadonlyMap<string, number>): Promise<void>;
}

/** A token with the suspension of its store. */
export interface FoundToken extends Token {
  /** Undefined unless the store is suspended. */
  readonly suspension?: Suspension | undefined;
}

export interface TokenRoll {
  readonly secret: string;
  readonly expiresAt: number | undefined;
  readonly endsAt: number;
}

export interface PersonRecords {
  /** Addresses are compared in lower case. */
  find(by: PersonKey): Promise<Person | undefined>;
  /** Lists the person's stores, and what would happen to each if the person were removed. */
  storesAfterRemoval(person: Pick<Person, "id">): Promise<StoreAfterRemoval[]>;
  /**
   * Removes the person, and the stores to which nobody else belongs. `shown` has the ids of those that they saw; undefined
   * stands for whichever there are. Sign-in ends with the first unit of work. Rejects with "last-owner" if others belong to
   * a store that has no other owner, and with "changed-meanwhile" if other stores than those shown would go.
   */
  remove(person: Pick<Person, "id">, shown: readonly string[] | undefined, by: Caller): Promise<void>;
}

/** A store of a removed person: it is deleted too, kept by its other owners, or blocks the removal since it has none. */
export interface StoreAfterRemoval extends Membership {
  readonly fate: "deleted" | "kept" | "blocking";
  /** The number of people in the store. */
  readonly people: number;
}

export type PersonKey = Pick<Person, "id"> | Pick<Person, "email">;

/** The members of stores, with their roles. */
export interface MemberRecords {
  /** Lists the person's stores, oldest membership first. */
  storesOf(person: Pick<Person, "id">): Promise<Membership[]>;
  /** Lists the members of the store, oldest membership first. */
  list(account: AccountNumber): Promise<Member[]>;
  /** Adds somebody, and ends an invitation of theirs. Rejects with "member-already" and "account-limit". */
  add(caller: StoreCaller, person: Pick<Person, "id" | "email">, role: Role): Promise<void>;
  /**
   * Also ends what a former owner invited. Rejects with "resource-unknown" for the id of nobody who belongs to the store, with
   * "last-owner", and with "proof-needed" if it makes somebody an owner, or no owner any more, by a session without a proof.
   */
  changeRole(caller: StoreCaller, id: string, role: Role): Promise<void>;
  /** Removes a member, under the rules of `changeRole`. `revokesTokens` also ends the store's active tokens that they made. */
  remove(caller: StoreCaller, id: string, revokesTokens: boolean): Promise<void>;
  /**
   * The store into which an identity provider brings people: the first one when that was asked for the first time.
   * Undefined before there is one, and once it is removed: no other takes its place.
   */
  providerStore(): Promise<AccountNumber | undefined>;
  /**
   * Gives the person that role in the store, as an identity provider says; undefined ends what it gave. A role that was given
   * by hand stays. Rejects with "last-owner".
   */
  follow(store: AccountNumber, person: Pick<Person, "id" | "email">, role: Role | undefined, by: Caller): Promise<void>;
  /** Removes the caller from the store, as `remove` does. */
  leave(caller: StoreCaller, id: string): Promise<void>;
}

export interface StoreChange {
  readonly name?: string | undefined;
  readonly needsSecondFactor?: boolean | undefined;
}

/** Stores. What a caller may do there is looked up again in the unit that does it. */
export interface StoreRecords {
  find(by: Pick<Store, "id"> | Pick<Store, "number">): Promise<Store | undefined>;
  /**
   * Adds a store of which the person is the owner, and resolves with its id. With `mayBeFirst` they need own no other. Rejects
   * with "resource-unknown" for who belongs to no store otherwise, with "role-refused" for who owns none, and with
   * "account-limit" for who owns as many as anybody may.
   */
  add(person: Pick<Person, "id">, store: NewStore, mayBeFirst: boolean, by: Caller): Promise<string>;
  /** Suspends the store, or resumes it without a suspension. Resolves with false if it is so already. */
  suspend(caller: StoreCaller, suspension: Suspension | undefined): Promise<boolean>;
  /** Rejects with "second-factor-missing" if others are asked for a second factor by who has none. */
  change(caller: StoreCaller, store: StoreChange): Promise<void>;
  /**
   * Removes the store with its plants, tokens and usage, in batches. Tokens end with the first batch. People keep their
   * sign-in, and are told by mail.
   */
  remove(store: AccountNumber, by: Caller): Promise<void>;
  /**
   * Begins to remove all plants that a test store has now, some at a time, so that creates pass between them. It is finished
   * by another node, or after a restart, if this one ends. Rejects with "address-unknown" for any other store.
   */
  empty(caller: StoreCaller): Promise<void>;
  /** The number of plants left in a store that is being emptied, new ones included; undefined for any other store. */
  emptying(account: AccountNumber): Promise<number | undefined>;
}

export interface AuditRecords {
  /** Rejects with "rate-limited" if the account did this as often within an hour as it may. */
  requireRoom(entry: AuditEntry): Promise<void>;
  /**
   * Adds an entry by itself, about what has happened already and is therefore not refused. An action that writes adds its
   * entry in its own unit of work instead.
   */
  add(entry: AuditEntry): Promise<void>;
}

export interface UsageRecords {
  /** Adds to the counts of all nodes. */
  add(counts: readonly UsageCount[]): Promise<void>;
  /** Adds to the response times of all nodes. */
  addLatencies(counts: readonly LatencyCount[]): Promise<void>;
  /** Ends between two slices, with the signal's reason, when that is aborted. */
  forgetOld(now: number, signal?: AbortSignal): Promise<void>;
}
