import { type Actor, type ApiCaller, FRESH_MS } from "#core/caller.ts";
import type { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { FoundToken, TokenRecords, UsageRecords } from "#core/records.ts";
import { storeSuspended } from "#core/store.ts";
import { type Scope, secretIn, type Token, tokenRefused, tokenState } from "#core/token.ts";
import { type LatencyCount, OUTCOME_CREATED, type UsageCount } from "#core/usage.ts";
import { type CountedRequest, TokenUsage } from "./token-usage.ts";

const CACHED_LENGTH_MAX = 10_000;
/** How many counts wait while the database is unavailable; further ones are lost. */
const UNSENT_LENGTH_MAX = 10_000;

/** The header in the spelling under which a token is cached: one has as many spellings as it has spaces and cases. */
export function bearerHeader(secret: string): string {
  return `Bearer ${secret}`;
}

/** A token that was valid at its last look-up, as the caller that it makes. Times are milliseconds since 1970. */
export class CachedToken implements ApiCaller {
  readonly person = undefined;
  usedAt = 0;
  /** The last use that is stored. */
  usedAtKept: number;
  /** The counts that are not stored yet. */
  readonly usage = new TokenUsage();

  constructor(
    private readonly cache: Pick<TokenCache, "isStillGood">,
    /** The key in the cache: `Bearer` and the secret. */
    readonly header: string,
    readonly secret: string,
    public token: FoundToken,
    public checkedAt: number,
  ) {
    this.usedAtKept = token.lastUsedAt ?? 0;
  }

  get account(): AccountNumber {
    return this.token.account;
  }

  get actor(): Actor {
    return { kind: "token", id: this.token.id, name: this.token.name };
  }

  get displayName(): string {
    return this.token.name;
  }

  get scopes(): readonly Scope[] {
    return this.token.scopes;
  }

  stillMay(freshMs?: number): boolean | Promise<boolean> {
    return this.cache.isStillGood(this, Date.now(), freshMs);
  }

  refusal(): Failure {
    return this.token.suspension ? storeSuspended(this.token.suspension) : tokenRefused();
  }
}

/** The part of the database that the cache uses. */
interface TokenDatabase {
  readonly tokens: Pick<TokenRecords, "findByHash" | "markUsed">;
  readonly usage: Pick<UsageRecords, "add" | "addLatencies">;
}

interface Refresh {
  readonly askedAt: number;
  readonly found: Promise<CachedToken | undefined>;
}

/**
 * Tokens by their `Authorization` header, so that a cached one costs neither a hash nor a database call. A token that was
 * looked up longer than FRESH_MS ago is looked up again at its next use, all due ones in one query. That alone guarantees
 * the second on every node and beside other processes.
 */
export class TokenCache {
  /** The number of look-ups in the database so far. */
  lookedUp = 0;
  readonly #cached = new Map<string, CachedToken>();
  /** Tokens that are cached no more, but whose last use or counts are not stored yet. */
  readonly #evicted = new Set<CachedToken>();
  /** Tokens that had ended at their last look-up, which know whose refused requests these are. */
  readonly #refused = new Map<string, Token>();
  /** The plants that pages have created, by their stores; no other requests of theirs are counted. */
  #createdByPages = new Map<AccountNumber, number>();
  #unsent: UsageCount[] = [];
  #unsentLatencies: LatencyCount[] = [];
  #due = new Map<string, Uint8Array>();
  #lookup: Promise<Map<string, FoundToken>> | undefined;
  /** The latest running look-up of each cached header. */
  readonly #refreshing = new Map<string, Refresh>();

  constructor(
    private readonly records: TokenDatabase,
    private readonly hash: (secret: string) => Uint8Array,
  ) {}

  get size(): number {
    return this.#cached.size;
  }

  /** The token of a header of `bearerHeader` if it is cached, fresh and valid: the path of nearly every request. */
  fresh(header: string, now: number): CachedToken | undefined {
    const known = this.#cached.get(header);
    if (!known || !isFresh(known, now) || tokenState(known.token, now) !== "active") return undefined;
    known.usedAt = now;
    return known;
  }

  /** The token of that header as it was last looked up, whether it is still valid or not. */
  lastSeen(given: string): Token | undefined {
    const header = bearerHeader(secretIn(given) ?? "");
    return this.#cached.get(header)?.token ?? this.#refused.get(header);
  }

  /** Looks the secret up; undefined if it is unknown, expired or revoked. */
  lookUp(secret: string): Promise<CachedToken | undefined> {
    const header = bearerHeader(secret);
    return this.#cached.has(header) ? this.#refresh(header, secret) : this.#lookUpNow(header, secret);
  }

  /**
   * All requests that find a cached token stale wait for one look-up, since otherwise hundreds of connections would
   * start one each. A request joins a look-up that began at most FRESH_MS ago, whose result is fresh for it too.
   */
  #refresh(header: string, secret: string): Promise<CachedToken | undefined> {
    const now = Date.now();
    const underWay = this.#refreshing.get(header);
    if (underWay && isFresh({ checkedAt: underWay.askedAt }, now)) return underWay.found;
    const found = this.#lookUpNow(header, secret).finally(() => {
      if (this.#refreshing.get(header)?.found === found) this.#refreshing.delete(header);
    });
    this.#refreshing.set(header, { askedAt: now, found });
    return found;
  }

  async #lookUpNow(header: string, secret: string): Promise<CachedToken | undefined> {
    const hash = this.hash(secret);
    const askedAt = Date.now();
    const token = (await this.#find(hash)).get(Buffer.from(hash).toString("hex"));
    const now = Date.now();
    this.#refused.delete(header);
    if (!token || tokenState(token, now) !== "active") {
      this.#remove(header);
      if (token) this.#rememberRefused(header, token);
      return undefined;
    }
    return this.#remember(header, secret, token, askedAt, now);
  }

  /** Resolves with true if the token is still valid, and its store not suspended: at once while it is fresh, otherwise after a look-up. */
  isStillGood(cached: CachedToken, now: number, freshMs = FRESH_MS): boolean | Promise<boolean> {
    if (isFresh(cached, now, freshMs)) return mayAct(cached.token, now);
    return this.lookUp(cached.secret).then((found) => found !== undefined && mayAct(found.token, now));
  }

  /** Counts the answer to a request made with this token. */
  count(cached: CachedToken, request: CountedRequest): void {
    cached.usage.count(request);
    // The token ended while the request was running.
    if (this.#cached.get(cached.header) !== cached) this.#evict(cached);
  }

  /** Counts what was refused before its token was looked up, as at an unknown address, where the token is a known one. */
  countRefused(given: string, request: CountedRequest): void {
    const cached = this.#cached.get(bearerHeader(secretIn(given) ?? ""));
    if (cached) this.count(cached, request);
  }

  /** Counts the plants that a page has created. */
  countOfPage(account: AccountNumber, created: number): void {
    if (created > 0) this.#createdByPages.set(account, (this.#createdByPages.get(account) ?? 0) + created);
  }

  /** Stores the times of last use, in batches and never for each request. */
  async keepLastUsed(): Promise<void> {
    const due = this.#toKeep().filter(({ usedAt, usedAtKept }) => usedAt !== usedAtKept);
    if (due.length === 0) return;
    const used = new Map<string, number>();
    // A token may have left the cache and be in it again.
    for (const { token, usedAt } of due) used.set(token.id, Math.max(usedAt, used.get(token.id) ?? 0));
    const kept = due.map((known) => [known, known.usedAt] as const);
    await this.records.tokens.markUsed(used);
    for (const [known, usedAt] of kept) known.usedAtKept = usedAt;
  }

  /** Adds the counted answers to those in the store, in batches. A batch that fails is sent again. */
  async keepUsage(): Promise<void> {
    const now = Date.now();
    const counts = this.#unsent.splice(0);
    for (const [account, count] of this.#createdByPages)
      counts.push({ account, token: undefined, at: now, outcome: OUTCOME_CREATED, count });
    this.#createdByPages = new Map();
    let latencies = this.#unsentLatencies.splice(0);
    for (const cached of this.#toKeep()) {
      counts.push(...cached.usage.drain(cached.token, now));
      latencies.push(...cached.usage.drainLatencies(cached.token, now));
      if (cached.usedAt === cached.usedAtKept) this.#evicted.delete(cached);
    }
    try {
      // The requests come before their outcomes, so that no share of outcomes is ever above 1.
      if (latencies.length > 0) await this.records.usage.addLatencies(latencies);
      latencies = [];
      if (counts.length > 0) await this.records.usage.add(counts);
    } catch (error) {
      this.#unsent.push(...counts.slice(0, UNSENT_LENGTH_MAX));
      this.#unsentLatencies.push(...latencies.slice(0, UNSENT_LENGTH_MAX));
      throw error;
    }
  }

  #toKeep(): CachedToken[] {
    return [...this.#cached.values(), ...this.#evicted];
  }

  #evict(cached: CachedToken): void {
    if (this.#evicted.size < CACHED_LENGTH_MAX) this.#evicted.add(cached);
  }

  #remove(header: string): void {
    const known = this.#cached.get(header);
    if (!known) return;
    this.#evict(known);
    this.#cached.delete(header);
  }

  #remember(header: string, secret: string, token: FoundToken, askedAt: number, now: number): CachedToken {
    const before = this.#cached.get(header);
    const known = before ?? new CachedToken(this, header, secret, token, askedAt);
    Object.assign(known, { token, checkedAt: askedAt, usedAt: now });
    if (!before) this.#evictOldest();
    this.#cached.set(header, known);
    return known;
  }

  #rememberRefused(header: string, token: Token): void {
    const [oldest] = this.#refused.keys();
    if (this.#refused.size >= CACHED_LENGTH_MAX && oldest !== undefined) this.#refused.delete(oldest);
    this.#refused.set(header, token);
  }

  #evictOldest(): void {
    if (this.#cached.size < CACHED_LENGTH_MAX) return;
    const [oldest] = this.#cached.keys();
    if (oldest !== undefined) this.#remove(oldest);
  }

  /** Joins the pending look-up. */
  #find(hash: Uint8Array): Promise<Map<string, FoundToken>> {
    this.#due.set(Buffer.from(hash).toString("hex"), hash);
    this.#lookup ??= Promise.resolve().then(() => {
      const due = [...this.#due.values()];
      this.#due = new Map();
      this.#lookup = undefined;
      this.lookedUp += due.length;
      return this.records.tokens.findByHash(due);
    });
    return this.#lookup;
  }
}

function mayAct(token: FoundToken, now: number): boolean {
  return tokenState(token, now) === "active" && token.suspension === undefined;
}

/** False also after the clock was set back, since the age of the look-up is then unknown. */
function isFresh({ checkedAt }: Pick<CachedToken, "checkedAt">, now: number, freshMs = FRESH_MS): boolean {
  return now - checkedAt <= freshMs && now >= checkedAt;
}
