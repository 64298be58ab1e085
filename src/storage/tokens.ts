import { type Expression, type RawBuilder, type Selectable, type SqlBool, sql } from "kysely";
import type { AuditAction, AuditDetail } from "#core/audit.ts";
import type { Caller, StoreCaller } from "#core/caller.ts";
import { DAY_MS } from "#core/duration.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { FoundToken, NewToken, TokenRecords, TokenRoll } from "#core/records.ts";
import { SCOPES, secretHint, type Token, tokenUnknown } from "#core/token.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import { isActive, isNotRevoked, type TokenColumns } from "./active-tokens.ts";
import type { AuditedAccess } from "./audit.ts";
import {
  ifUnchanged,
  lockingStore,
  named,
  type Queries,
  required,
  retryIfChanged,
  type Statement,
  type Step,
} from "./database-access.ts";
import type { Engine } from "./engine.ts";
import type { Schema } from "./schema.ts";
import { suspensionOf } from "./suspensions.ts";

/** Active ones: revoked and expired tokens do not count. */
export const TOKENS = CREDENTIALS.row("tokens", "account", { each: 1000 }, "409");
const ENDED_TOKENS = CREDENTIALS.row("ended tokens", "account", { each: 1000 }, "the oldest is removed");

const FOUND_COLUMNS = [
  ...(["id", "account", "name", "hash", "hint", "scopes", "made_by"] as const).map(
    (column) => `tokens.${column}` as const,
  ),
  ...(["created_at", "last_used_at", "expires_at", "revoked_at"] as const).map((column) => `tokens.${column}` as const),
  "suspended_at",
  "suspension_reason",
] as const;

/** The SHA-256 of a secret, which is stored instead of it. Its 178 bits of randomness need no slow hash (ASVS 5, 11.4.2). */
export function secretHash(secret: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(secret).digest();
}

/** How many tokens one statement marks: on SQLite it then blocks no longer than a batch of creates. */
const MARKED_AT_ONCE_MAX = 500;
/** A last use that lies a day further ahead was set by a clock that was wrong. */
const isUsedLater = (value: string) =>
  sql.raw(`(last_used_at IS NULL OR last_used_at NOT BETWEEN ${value} AND ${value} + ${DAY_MS})`);
/** The tokens of a JSON object, by engine. Locked in one order, so that two nodes do not deadlock. */
const MARKED: Readonly<Record<Engine, (used: string) => RawBuilder<unknown>>> = {
  sqlite: (used) => sql`json_each(${used})`,
  postgres: (used) => sql`(
    SELECT given.key, given.value::bigint FROM json_each_text(${used}) AS given JOIN tokens ON tokens.id = given.key
    WHERE ${isUsedLater("given.value::bigint")}
    ORDER BY tokens.id FOR UPDATE OF tokens)`,
};

export class Tokens implements TokenRecords {
  constructor(
    private readonly storage: AuditedAccess,
    /** Rejects if a newer program has changed the tables beside this one. */
    private readonly requireSchema: () => Promise<void>,
  ) {}

  async add(caller: StoreCaller, token: NewToken, secret: string): Promise<Token> {
    const row = newRow(caller, token, secret);
    const entry = { ...caller, action: "token.created", target: row.id, detail: { name: row.name } } as const;
    await this.storage.audit.runAudited(this.#adding(row), [entry]);
    return tokenFromRow(row);
  }

  async find(account: AccountNumber, id: string): Promise<Token | undefined> {
    const row = await tokensOf(this.storage.db, account).where("id", "=", id).executeTakeFirst();
    return row && tokenFromRow(row);
  }

  async rename(caller: StoreCaller, id: string, name: string): Promise<Token> {
    const old = await this.#required(caller.account, id);
    const renamed = this.storage.db.updateTable("tokens").set({ name }).where("id", "=", id).where("name", "!=", name);
    return this.#changed(caller, old, renamed, "token.renamed", { name, was: old.name });
  }

  async roll(caller: StoreCaller, id: string, roll: TokenRoll): Promise<Token> {
    const old = await this.#required(caller.account, id);
    const token = { name: old.name, scopes: old.scopes, expiresAt: roll.expiresAt };
    const row = newRow(caller, token, roll.secret);
    const now = Date.now();
    const ended = this.#revoking(id, roll.endsAt)
      .where("account", "=", caller.account)
      .where((is) => isActive(is, now));
    const detail = { name: old.name, new_token: row.id };
    const entry = { ...caller, action: "token.rolled", target: id, detail } as const;
    await this.storage.audit.runAudited([required(ended, tokenUnknown), ...this.#adding(row)], [entry]);
    return tokenFromRow(row);
  }

  async revoke(caller: StoreCaller, id: string): Promise<Token> {
    await this.#required(caller.account, id);
    await this.#revokeAllThat(caller, (is, now) => is.and([is("id", "=", id), isNotRevoked(is, now)]));
    return this.#required(caller.account, id);
  }

  revokeAll(caller: StoreCaller): Promise<number> {
    return this.#revokeAllThat(caller, isActive);
  }

  #revokeAllThat(caller: StoreCaller, which: (is: TokenColumns, now: number) => Expression<SqlBool>): Promise<number> {
    return retryIfChanged(async () => {
      const now = Date.now();
      const rows = await tokensOf(this.storage.db, caller.account)
        .where((is) => which(is, now))
        .select(isRevocationEntered(caller.account, now))
        .execute();
      // Another one may have revoked it at a later time than this, by its own clock.
      const revoking = rows.map(({ id, revoked_at }) =>
        ifUnchanged(this.#revoking(id, now).where("revoked_at", "is not distinct from", revoked_at)),
      );
      const entries = rows
        .filter(({ is_entered }) => !is_entered)
        .map(({ id, name }) => ({ ...caller, action: "token.revoked", target: id, detail: { name } }) as const);
      await this.storage.audit.runAudited(revoking, entries);
      return rows.length;
    });
  }

  async revokeAny(id: string, by: Caller): Promise<Token | undefined> {
    const token = this.storage.db.selectFrom("tokens").select("account").where("id", "=", id);
    const row = await token.executeTakeFirst();
    return row && this.revoke({ ...by, account: row.account }, id);
  }

  async findByHash(hashes: readonly Uint8Array[]): Promise<Map<string, FoundToken>> {
    const query = this.storage.db
      .selectFrom("tokens")
      .innerJoin("stores", "stores.number", "tokens.account")
      .select(FOUND_COLUMNS)
      .where("hash", "in", [...hashes])
      .compile();
    const rows = this.storage.db
      .getExecutor()
      .executeQuery(named("tokens", query))
      .then(({ rows }) => rows);
    // The tables may be others since.
    rows.catch(() => {});
    await this.requireSchema();
    const found = (await rows).map((row) => ({ row, token: { ...tokenFromRow(row), suspension: suspensionOf(row) } }));
    return new Map(found.map(({ row, token }) => [Buffer.from(row.hash).toString("hex"), token]));
  }

  async markUsed(times: ReadonlyMap<string, number>): Promise<void> {
    const entries = [...times];
    for (let start = 0; start < entries.length; start += MARKED_AT_ONCE_MAX) {
      const given = JSON.stringify(Object.fromEntries(entries.slice(start, start + MARKED_AT_ONCE_MAX)));
      await sql`
        UPDATE tokens SET last_used_at = used.value FROM ${MARKED[this.storage.engine](given)} AS used
        WHERE tokens.id = used.key AND ${isUsedLater("used.value")}`.execute(this.storage.db);
    }
  }

  /** Resolves with the token as it is then, also if the change changed nothing. */
  async #changed(
    caller: StoreCaller,
    { account, id }: Token,
    change: Statement,
    action: AuditAction,
    detail: AuditDetail,
  ): Promise<Token> {
    await this.storage.audit.runAuditedIfChanged(change, [{ ...caller, action, target: id, detail }]);
    return this.#required(account, id);
  }

  async #required(account: AccountNumber, id: string): Promise<Token> {
    const token = await this.find(account, id);
    if (!token) throw tokenUnknown();
    return token;
  }

  /**
   * The first statement locks the account's row on PostgreSQL, so that tokens that are made at once on several nodes are
   * counted one after the other. The last removes the oldest ended tokens.
   */
  #adding(row: ReturnType<typeof newRow>): Step[] {
    const { account } = row;
    const now = row.created_at;
    const tokens = this.storage.db.selectFrom("tokens").where("account", "=", account);
    const active = tokens.where((is) => isActive(is, now)).select((count) => count.fn.countAll<number>().as("count"));
    const locked = lockingStore(this.storage.db, account);
    const ended = tokens.where((is) => is.not(isActive(is, now)));
    const oldest = ended.select("id").orderBy("created_at", "desc").orderBy("id").offset(ENDED_TOKENS.each).limit(100);
    return [
      locked,
      required(locked.where(active, "<", TOKENS.each), tooManyTokens),
      this.storage.db.insertInto("tokens").values(row),
      this.storage.db.deleteFrom("tokens").where("id", "in", oldest),
    ];
  }

  /** An earlier end stays: an overlap cannot revive a revoked token. */
  #revoking(id: string, at: number) {
    return this.storage.db
      .updateTable("tokens")
      .set({ revoked_at: sql<number>`CASE WHEN revoked_at < ${at} THEN revoked_at ELSE ${at} END` })
      .where("id", "=", id);
  }
}

/** True for a token that another node has revoked already, by a clock that is ahead of this one. */
function isRevocationEntered(account: AccountNumber, now: number) {
  // The plus keeps to the index by time, where few entries are later than now.
  return sql<boolean | number>`EXISTS (SELECT 1 FROM audit_entries AS entered WHERE entered.at >= ${now}
    AND +entered.account = ${account} AND entered.action = 'token.revoked' AND entered.target = tokens.id)`.as(
    "is_entered",
  );
}

function tooManyTokens(): Failure {
  const message = `This account has ${TOKENS.each} active tokens, which is the limit; revoke one that is not used`;
  return new Failure("account-limit", message);
}

function newRow({ account, person }: StoreCaller, { name, scopes, expiresAt }: NewToken, secret: string) {
  return {
    id: `tok_${crypto.randomUUID().replaceAll("-", "")}`,
    account,
    name,
    hash: secretHash(secret),
    hint: secretHint(secret),
    scopes: scopes.join(" "),
    created_at: Date.now(),
    last_used_at: null,
    expires_at: expiresAt ?? null,
    revoked_at: null,
    made_by: person ?? null,
  };
}

export function tokensOf(db: Queries, account: AccountNumber) {
  return db.selectFrom("tokens").selectAll().where("account", "=", account);
}

type TokenRow = Omit<Selectable<Schema["tokens"]>, "hash" | "expiry_noticed_at">;

export function tokenFromRow(row: TokenRow): Token {
  return {
    id: row.id,
    account: row.account,
    name: row.name,
    hint: row.hint,
    scopes: SCOPES.filter((scope) => row.scopes.split(" ").includes(scope)),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at ?? undefined,
    expiresAt: row.expires_at ?? undefined,
    revokedAt: row.revoked_at ?? undefined,
    madeBy: row.made_by ?? undefined,
  };
}
