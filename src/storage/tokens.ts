import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { AccountNumber } from "#core/plant.ts";
import type { NewToken, TokenStore } from "#core/store.ts";
import { type Scope, secretHint, type Token } from "#core/token.ts";
import type { Queries } from "./queries.ts";
import type { Schema, TokensTable } from "./schema.ts";

/** SHA-256 of a secret: what is kept in its place. Its 178 bits of randomness need no slow hash (ASVS 5, 11.4.2). */
export function secretHash(secret: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(secret).digest();
}

/** Few enough for one statement on the serving thread. */
const REMOVED_AT_ONCE = 200;

/** What tokens have in common on both engines. */
export abstract class Tokens implements TokenStore {
  readonly #db: Queries;

  constructor(db: Queries) {
    this.#db = db;
  }

  async add(account: AccountNumber, token: NewToken, secret: string): Promise<Token> {
    const row = {
      id: `tok_${crypto.randomUUID().replaceAll("-", "")}`,
      account,
      name: token.name,
      hash: secretHash(secret),
      hint: secretHint(secret),
      scopes: token.scopes.join(" "),
      created_at: Date.now(),
      last_used_at: null,
      expires_at: token.expiresAt ?? null,
      revoked_at: null,
      session_id: token.sessionId ?? null,
    };
    await this.#db.insertInto("tokens").values(row).execute();
    return tokenFromRow(row);
  }

  async list(account: AccountNumber): Promise<Token[]> {
    const rows = await this.#db
      .selectFrom("tokens")
      .selectAll()
      .where("account", "=", account)
      .where("session_id", "is", null)
      .orderBy("created_at", "desc")
      .orderBy("id")
      .execute();
    return rows.map(tokenFromRow);
  }

  async rename(account: AccountNumber, id: string, name: string): Promise<Token | undefined> {
    const query = this.#db.updateTable("tokens").set({ name }).where("account", "=", account).where("id", "=", id);
    const row = await query.where("session_id", "is", null).returningAll().executeTakeFirst();
    return row && tokenFromRow(row);
  }

  async revoke(account: AccountNumber, id: string, at: number): Promise<Token | undefined> {
    const row = await this.#revoking(id, at).where("account", "=", account).returningAll().executeTakeFirst();
    return row && tokenFromRow(row);
  }

  async revokeAny(id: string): Promise<Token | undefined> {
    const row = await this.#revoking(id, Date.now()).returningAll().executeTakeFirst();
    return row && tokenFromRow(row);
  }

  async findByHash(hashes: readonly Uint8Array[]): Promise<Map<string, Token>> {
    const rows = await this.#db
      .selectFrom("tokens")
      .selectAll()
      .where("hash", "in", [...hashes])
      .where((or) => or.or([or("session_id", "is", null), or.exists(sessionOf(or))]))
      .execute();
    return new Map(rows.map((row) => [hex(row.hash), tokenFromRow(row)]));
  }

  async forgetExpiredSessionBound(now: number): Promise<void> {
    const bound = this.#db.selectFrom("tokens").select("id").where("session_id", "is not", null);
    const expired = bound.where("expires_at", "<", now).limit(REMOVED_AT_ONCE);
    const removal = this.#db.deleteFrom("tokens").where("id", "in", expired);
    while ((await removal.executeTakeFirst()).numDeletedRows > 0n);
  }

  abstract markUsed(times: ReadonlyMap<string, number>): Promise<void>;

  /** Never later than it was to end already: an overlap cannot bring a revoked token back. */
  #revoking(id: string, at: number) {
    return this.#db
      .updateTable("tokens")
      .set({ revoked_at: sql<number>`CASE WHEN revoked_at < ${at} THEN revoked_at ELSE ${at} END` })
      .where("id", "=", id)
      .where("session_id", "is", null);
  }
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

/** The dashboard's own token ends with the session that it was made for. */
function sessionOf(tokens: ExpressionBuilder<Schema, "tokens">) {
  return tokens.selectFrom("sessions").select("sessions.id").whereRef("sessions.id", "=", "tokens.session_id");
}

type TokenRow = Omit<Selectable<TokensTable>, "hash">;

function tokenFromRow(row: TokenRow): Token {
  return {
    id: row.id,
    account: Number(row.account),
    name: row.name,
    hint: row.hint,
    scopes: row.scopes.split(" ") as Scope[],
    createdAt: Number(row.created_at),
    lastUsedAt: optionalNumber(row.last_used_at),
    expiresAt: optionalNumber(row.expires_at),
    revokedAt: optionalNumber(row.revoked_at),
    sessionBound: row.session_id !== null,
  };
}

function optionalNumber(value: number | string | null): number | undefined {
  return value === null ? undefined : Number(value);
}
