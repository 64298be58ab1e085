import type { Account } from "#core/account.ts";
import { Failure, unavailable } from "#core/failure.ts";
import type { Storage } from "#storage/storage.ts";
import { ADDRESS_HEADER } from "./address-header.ts";
import type { Auths } from "./auths.ts";

/** However much it is used, a session ends after this long (ASVS 5, 7.3.2). */
const SESSION_AGE_MS_MAX = 30 * 24 * 3600 * 1000;

export interface ClientInfo {
  readonly origin: string;
  readonly address: string;
  readonly headers: Headers;
}

export interface Session {
  readonly id: string;
  readonly account: Account;
  readonly expiresAt: number;
  readonly cookies: readonly string[];
}

/** Sessions by their cookie, kept in the database: ending one ends it on every node at once. */
export class Sessions {
  readonly #storage: Storage;
  readonly #auths: Auths;

  constructor(storage: Storage, auths: Auths) {
    this.#storage = storage;
    this.#auths = auths;
  }

  async find(client: ClientInfo): Promise<Session | undefined> {
    // Loaded for who has no cookie too: a browser that asks is about to sign in.
    const loading = this.#auths.of(client.origin);
    if (!client.headers.get("cookie")?.includes("plantstore.session_token=")) return undefined;
    const auth = await loading;
    const asked = auth.api.getSession({ headers: authHeaders(client), returnHeaders: true });
    const { headers, response } = await asked.catch((error: unknown) => {
      throw unavailable("Cannot tell who is signed in just now; try again", error);
    });
    if (!response) return undefined;
    const { id, userId, expiresAt, createdAt } = response.session;
    const end = Math.min(expiresAt.getTime(), createdAt.getTime() + SESSION_AGE_MS_MAX);
    if (end <= Date.now()) {
      await this.#delete(userId, id);
      return undefined;
    }
    const account = await this.#storage.store.accounts.findById(userId);
    return account && { id, account, expiresAt: end, cookies: headers.getSetCookie() };
  }

  async list({ account }: Session) {
    const query = this.#storage.db.selectFrom("sessions").selectAll().where("user_id", "=", account.id);
    const rows = await query.orderBy("updated_at", "desc").execute();
    return rows
      .filter((row) => new Date(row.expires_at).getTime() > Date.now())
      .map((row) => ({
        id: row.id,
        userAgent: row.user_agent ?? "",
        address: row.ip_address ?? "",
        createdAt: new Date(row.created_at).getTime(),
        seenAt: new Date(row.updated_at).getTime(),
      }));
  }

  end({ account }: Session, id: string): Promise<boolean> {
    return this.#delete(account.id, id);
  }

  async endOthers({ id, account }: Session): Promise<void> {
    const { db } = this.#storage;
    await db.deleteFrom("sessions").where("user_id", "=", account.id).where("id", "!=", id).execute();
  }

  async forgetOld(now: number): Promise<void> {
    const { db } = this.#storage;
    const past = new Date(now).toISOString();
    await db.deleteFrom("sessions").where("expires_at", "<", past).execute();
    await db.deleteFrom("verifications").where("expires_at", "<", past).execute();
  }

  async #delete(accountId: string, id: string): Promise<boolean> {
    const { db } = this.#storage;
    const ended = db.deleteFrom("sessions").where("user_id", "=", accountId).where("id", "=", id);
    return (await ended.executeTakeFirst()).numDeletedRows > 0n;
  }
}

/** What better-auth is told of a request: nothing that a client could use to pass for someone else. */
export function authHeaders({ headers, address, origin }: ClientInfo): Headers {
  const told = new Headers({ origin, [ADDRESS_HEADER]: address });
  for (const name of ["cookie", "user-agent"]) {
    const value = headers.get(name);
    if (value !== null) told.set(name, value);
  }
  return told;
}

export function sessionMissing(): Failure {
  return new Failure("session-missing", "You are not signed in, or the session is over: sign in");
}
