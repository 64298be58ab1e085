import type { Account } from "./account.ts";
import type { AuditEntry, AuditQuery, AuditRecord, AuditSource } from "./audit.ts";
import type { EventStore } from "./event.ts";
import type { LeaseStore } from "./job.ts";
import type { MatchCount } from "./match-count.ts";
import type { AccountNumber, CreateOutcome, NewPlant, Plant, PlantPatch } from "./plant.ts";
import type { RequestLogStore } from "./request-log.ts";
import type { Scope, Token } from "./token.ts";
import type { RequestSpan } from "./trace.ts";
import type { LatencyCount, LatencySlice, UsageCount, UsageQuery, UsageSlice, VersionUse } from "./usage.ts";

/**
 * Everything that is stored. Each engine keeps the same promises:
 * - A promise that a write resolves means it is on disk (on a synchronous standby too, where there is one).
 * - Every method rejects with the Failure "unavailable" when storage cannot take or give it; nothing of it is kept.
 * - Every method about plants or tokens reaches one account only, the one that it is given.
 */
export interface Store {
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  readonly accounts: AccountStore;
  readonly usage: UsageStore;
  readonly events: EventStore;
  readonly audit: AuditStore;
  readonly requests: RequestLogStore;
  readonly leases: LeaseStore;
  /** A value made once by whoever asks first, the same for every node and after every restart. */
  keptSecret(name: string, make: () => string): Promise<string>;
  /** Resolves if a write would be taken now; rejects with "unavailable" if not. */
  writable(): Promise<void>;
  /** Faults that an operator should mend although the service works, such as a missing search index. */
  faults(): readonly string[];
  /** Resolves once everything accepted is on disk or refused; takes nothing more from then on. */
  close(): Promise<void>;
}

/** A write that is given the span of its request tells the observer in which transaction it is. */
export interface PlantStore {
  /** Group commit: resolves after the transaction that holds the plant is on disk. */
  create(account: AccountNumber, plant: NewPlant, span?: RequestSpan): Promise<CreateOutcome>;
  /**
   * Many creates, one outcome each, in their order. A later one of the same id meets the earlier one. If storage fails
   * the whole slice rejects and nothing of it is kept. Short enough slices (a few hundred) let single creates pass.
   */
  createMany(account: AccountNumber, plants: readonly NewPlant[], span?: RequestSpan): Promise<CreateOutcome[]>;
  find(account: AccountNumber, id: bigint): Promise<Plant | undefined>;
  /**
   * Changes the plant if `allows` holds of it at that moment. Rejects with "plant-unknown", or with what `allows`
   * throws. `allows` is pure and may be asked again.
   */
  change(
    account: AccountNumber,
    id: bigint,
    patch: PlantPatch,
    allows: PlantCondition,
    span?: RequestSpan,
  ): Promise<Plant>;
  remove(account: AccountNumber, id: bigint, allows: PlantCondition, span?: RequestSpan): Promise<void>;
  list(account: AccountNumber, query: PlantQuery): Promise<PlantPage>;
  /** Every plant of the account in id order, in pages, as of one moment, in constant memory. */
  export(account: AccountNumber): AsyncIterable<readonly Plant[]>;
  /** Kept, not counted. */
  count(account: AccountNumber): Promise<number>;
  /** Counts the plants that pass the filter, as far as that is cheap. */
  countMatches(account: AccountNumber, filter: PlantChoice): Promise<MatchCount>;
  /**
   * Up to 200 tags, the most frequent first: all that are in use among up to 10,000 plants. In larger accounts 10,000
   * plants are looked at, from the oldest to the newest.
   */
  suggestTags(account: AccountNumber): Promise<readonly string[]>;
}

export type PlantCondition = (plant: Plant) => void;

export interface PlantQuery {
  readonly order: "id" | "-created_at";
  /** 1 to 1000. */
  readonly limit: number;
  /** Exactly this tag; "" is the empty tag, undefined any plant. */
  readonly tag: string | undefined;
  /** A part of the name, upper and lower case alike by Unicode simple case folding; undefined or "" is no filter. */
  readonly q: string | undefined;
  /** Only plants after this position in the order: an id for "id", an insertion number for "-created_at". */
  readonly after: bigint | undefined;
}

/** The part of a query that chooses plants. */
export type PlantChoice = Pick<PlantQuery, "tag" | "q">;

export interface PlantPage {
  readonly plants: readonly Plant[];
  /** Where the next page starts; undefined at the end. A page may be short, or empty, and still have a next one. */
  readonly next: bigint | undefined;
}

export interface NewToken {
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: number | undefined;
}

/** A token's change is one unit with its entry in the audit log. */
export interface TokenStore {
  /** Rejects with "account-limit" if the account has ACTIVE_TOKENS_MAX. */
  add(account: AccountNumber, token: NewToken, secret: string, source: AuditSource): Promise<Token>;
  /**
   * A token for the dashboard page: it ends with its session and is in no list. A session has few; the oldest gives way
   * to a new one.
   */
  addSessionBound(account: AccountNumber, sessionId: string, expiresAt: number, secret: string): Promise<void>;
  /** Without those for the dashboard; newest first. */
  list(account: AccountNumber): Promise<Token[]>;
  rename(account: AccountNumber, id: string, name: string, source: AuditSource): Promise<Token | undefined>;
  /**
   * Adds a token with the name and scopes of the old one, which ends at `endsAt`: both or neither. Undefined if the
   * account has no such token that is active. Rejects with "account-limit".
   */
  roll(account: AccountNumber, id: string, roll: TokenRoll, source: AuditSource): Promise<Token | undefined>;
  /** Undefined if the account has no such token. */
  revoke(account: AccountNumber, id: string, source: AuditSource): Promise<Token | undefined>;
  /** How many tokens were revoked. */
  revokeAll(account: AccountNumber, source: AuditSource): Promise<number>;
  /** For the operator, who knows a token by its id alone. */
  revokeAny(id: string, source: AuditSource): Promise<Token | undefined>;
  /** By SHA-256 of their secrets (32 bytes each), in one query; those for the dashboard while their sessions last. */
  findByHash(hashes: readonly Uint8Array[]): Promise<Map<string, Token>>;
  /** Milliseconds since 1970 by token id; an older time never replaces a newer one. */
  markUsed(times: ReadonlyMap<string, number>): Promise<void>;
}

export interface TokenRoll {
  readonly secret: string;
  /** When the new token expires. */
  readonly expiresAt: number | undefined;
  /** When the old token ends. */
  readonly endsAt: number;
}

export interface AccountStore {
  list(): Promise<Account[]>;
  findByEmail(email: string): Promise<Account | undefined>;
  findById(id: string): Promise<Account | undefined>;
  findByNumber(number: AccountNumber): Promise<Account | undefined>;
  /** With its plants, tokens, usage and sessions, in batches; sign-in and tokens end with the first. */
  remove(account: RemovedAccount, source: AuditSource): Promise<void>;
}

export type RemovedAccount = Pick<Account, "number" | "id" | "email">;

export interface AuditStore {
  /** Adds an entry of its own. An act that writes adds its entry in its own unit instead. */
  add(entry: AuditEntry): Promise<void>;
  /** Newest first. */
  list(account: AccountNumber, query: AuditQuery): Promise<AuditRecord[]>;
}

export interface UsageStore {
  /** Adds to what every node has counted so far. */
  add(counts: readonly UsageCount[]): Promise<void>;
  /** The same for response times. */
  addLatencies(counts: readonly LatencyCount[]): Promise<void>;
  /** Response times of all versions together, oldest first. */
  readLatencies(account: AccountNumber, query: UsageQuery): Promise<LatencySlice[]>;
  /** Oldest first; slices in which nothing was counted are left out. */
  read(account: AccountNumber, query: UsageQuery): Promise<UsageSlice[]>;
  /** The requests to those versions since `from`, by token, the most first. Requests of the dashboard's page are left out. */
  readVersionUse(account: AccountNumber, versions: readonly string[], from: number): Promise<VersionUse[]>;
  /** Removes what is older than is kept. */
  forgetOld(now: number): Promise<void>;
}
