import { timingSafeEqual } from "node:crypto";
import { type Selectable, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { Person } from "#core/person.ts";
import { type ProofKind, type Session, signInRefused } from "#core/session.ts";
import { SESSIONS } from "#load/limits.ts";
import type { AuditedAccess } from "../audit.ts";
import { builtOnce, required, type Statement, type Step } from "../database-access.ts";
import { isPerson } from "../detachment.ts";
import { membershipFromRow } from "../members.ts";
import { personFromRow } from "../people.ts";
import type { Schema } from "../schema.ts";
import { secretHash } from "../tokens.ts";
import { PASSWORD_PROVIDER } from "./ways-in.ts";

/** Times are milliseconds since 1970. */
export interface SessionRow {
  readonly id: string;
  readonly userAgent: string;
  readonly address: string;
  readonly createdAt: number;
  readonly seenAt: number;
  readonly expiresAt: number;
  /** False for a session that ends with the browser. */
  readonly remembered: boolean;
  readonly proof: Session["proof"];
}

/** The token finds the row, and lies in it in clear, as older nodes look it up; of the secret the row has a hash. */
export interface SessionKeys {
  readonly token: string;
  readonly secret: string;
}

export interface NewSession
  extends SessionKeys,
    Pick<SessionRow, "id" | "userAgent" | "address" | "expiresAt" | "remembered"> {
  readonly person: Person;
  /** The account's epoch at the start of the sign-in. */
  readonly epoch: number;
}

export interface FoundSession extends Pick<Session, "person" | "onlyStore" | "hasPassword"> {
  readonly session: SessionRow;
}

export class SessionRows {
  constructor(private readonly storage: AuditedAccess) {}

  /** At the limit it ends the oldest session. Rejects with "sign-in-refused" if the account's epoch has changed. */
  async add(session: NewSession, entry: AuditEntry, also: readonly Step[] = []): Promise<void> {
    const { db, audit } = this.storage;
    const now = new Date();
    const { id, person, epoch, userAgent, address, remembered } = session;
    // It changes nothing, but on PostgreSQL it makes a change of the password wait for this unit, or this unit for it.
    const sameEpoch = db
      .updateTable("accounts")
      .set({ sign_in_epoch: epoch })
      .where("id", "=", person.id)
      .where("sign_in_epoch", "=", epoch)
      // A person found by a passkey or an identity may have left the store that they made, which has their id still.
      .where(isPerson);
    const row = db.insertInto("sessions").values({
      id,
      ...keyColumns(session),
      user_id: person.id,
      expires_at: new Date(session.expiresAt),
      ip_address: address,
      user_agent: userAgent,
      created_at: now,
      updated_at: now,
      remembered,
      proved_at: now.getTime(),
      proof: "sign-in" satisfies ProofKind,
    });
    const others = db.selectFrom("sessions").select("id").where("user_id", "=", person.id).where("id", "!=", id);
    const oldest = others
      .orderBy("created_at", "desc")
      .orderBy("id")
      .offset(SESSIONS.each - 1)
      .limit(SESSIONS.each);
    const ended = db.deleteFrom("sessions").where("id", "in", oldest);
    await audit.runAudited([required(sameEpoch, signInRefused), row, ended, ...also], [entry]);
  }

  /** A session that an older node opened has no secret. */
  async find(token: string, secret = ""): Promise<FoundSession | undefined> {
    const [row] = await sessionRows(this.storage.db, token);
    if (!row || (row.secret_hash !== null && !timingSafeEqual(row.secret_hash, secretHash(secret)))) return undefined;
    const { session_id: id, session_created_at: created_at, session_updated_at: updated_at } = row;
    return {
      session: sessionFromRow({ ...row, id, created_at, updated_at }),
      person: personFromRow(row),
      onlyStore: row.is_member ? undefined : membershipFromRow(row, "owner"),
      hasPassword: Boolean(row.has_password),
    };
  }

  /** Newest first. */
  async list({ id }: Person): Promise<SessionRow[]> {
    const query = this.storage.db.selectFrom("sessions").selectAll().where("user_id", "=", id);
    return (await query.orderBy("updated_at", "desc").limit(SESSIONS.each).execute()).map(sessionFromRow);
  }

  async keepSeen(id: string, expiresAt: number, now: number): Promise<void> {
    const seen = { updated_at: new Date(now), expires_at: new Date(expiresAt) };
    await this.storage.db.updateTable("sessions").set(seen).where("id", "=", id).execute();
  }

  async prove(id: string, now: number): Promise<void> {
    const proved = { proved_at: now, proof: "asked" satisfies ProofKind };
    await this.storage.db.updateTable("sessions").set(proved).where("id", "=", id).execute();
  }

  /** Changes one row if the session has a proof that was asked for since that time, and none otherwise. */
  spending(id: string, since: number): Statement {
    return this.storage.db
      .updateTable("sessions")
      .set({ proof: "spent" satisfies ProofKind })
      .where("id", "=", id)
      .where("proof", "=", "asked" satisfies ProofKind)
      .where("proved_at", ">=", since);
  }

  /** Resolves with false if the account has no such session. */
  async end({ id: personId }: Pick<Person, "id">, id: string, entries: readonly AuditEntry[]): Promise<boolean> {
    const ended = this.storage.db.deleteFrom("sessions").where("user_id", "=", personId).where("id", "=", id);
    return this.storage.audit.runAuditedIfChanged(ended, entries);
  }

  async endOthers({ id: personId }: Person, keptId: string, entry: AuditEntry): Promise<void> {
    const others = this.storage.db.deleteFrom("sessions").where("user_id", "=", personId).where("id", "!=", keptId);
    await this.storage.audit.runAuditedIfChanged(others, [entry]);
  }
}

/** With the person's row, in one query, since every request of a page asks for them. */
const sessionRows = builtOnce("session with its person", (db, token) =>
  db
    .selectFrom("sessions")
    .innerJoin("accounts", "accounts.id", "sessions.user_id")
    .select(["accounts.id", "number", "name", "email", "email_verified", "two_factor_enabled", "accounts.created_at"])
    .select(["store_name", "test", "second_factor_required"])
    .select(["sessions.id as session_id", "token", "user_id", "expires_at", "ip_address", "user_agent", "secret_hash"])
    .select(["remembered", "proved_at", "proof"])
    .select(["sessions.created_at as session_created_at", "sessions.updated_at as session_updated_at"])
    .select(({ exists, selectFrom }) => {
      const memberships = selectFrom("members").select("role").whereRef("members.user_id", "=", "accounts.id");
      const passwords = selectFrom("credentials").select("id").whereRef("credentials.user_id", "=", "accounts.id");
      const password = passwords.where("provider_id", "=", sql.lit(PASSWORD_PROVIDER));
      return [exists(memberships).as("is_member"), exists(password).as("has_password")];
    })
    .where("token", "=", token),
);

export function keyColumns({
  token,
  secret,
}: SessionKeys): Pick<Selectable<Schema["sessions"]>, "token" | "secret_hash"> {
  return { token, secret_hash: secretHash(secret) };
}

function sessionFromRow(row: Selectable<Schema["sessions"]>): SessionRow {
  const kind = PROOFS.find((proof) => proof === row.proof);
  return {
    id: row.id,
    userAgent: row.user_agent ?? "",
    address: row.ip_address ?? "",
    createdAt: new Date(row.created_at).getTime(),
    seenAt: new Date(row.updated_at).getTime(),
    expiresAt: new Date(row.expires_at).getTime(),
    remembered: row.remembered === null || Boolean(row.remembered),
    proof: kind && row.proved_at !== null ? { kind, at: row.proved_at } : undefined,
  };
}

const PROOFS: readonly ProofKind[] = ["sign-in", "asked", "spent"];
