import { type RawBuilder, type Selectable, sql } from "kysely";
import type { AuditEntry } from "#core/audit.ts";
import type { Membership } from "#core/member.ts";
import { type Person, personSuspended } from "#core/person.ts";
import { type Session, signInRefused } from "#core/session.ts";
import { CREDENTIALS } from "#load/limit-groups.ts";
import type { AuditedAccess } from "../audit.ts";
import { builtOnce, lockingPerson, required, type Statement, type Step } from "../database-access.ts";
import { membershipFromRow } from "../members.ts";
import { personFromRow } from "../people.ts";
import type { Schema } from "../schema.ts";
import { secretHash } from "../tokens.ts";

const SESSIONS = CREDENTIALS.row("sessions", "account", { each: 100 });

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

export interface NewSession extends Pick<SessionRow, "id" | "userAgent" | "address" | "expiresAt" | "remembered"> {
  /** The content of its cookie. */
  readonly secret: string;
  readonly person: Person;
  /** The person's epoch at the start of the sign-in. */
  readonly epoch: number;
}

export interface FoundSession extends Pick<Session, "person" | "stores" | "hasPassword" | "hasSecondFactor"> {
  readonly session: SessionRow;
}

/** Sessions, by the SHA-256 of their secrets. */
export class SessionRows {
  constructor(private readonly storage: AuditedAccess) {}

  /**
   * Adds a session, and ends the oldest one at the limit. Rejects with "sign-in-refused" if the person's epoch has changed, and
   * with "account-suspended".
   */
  async add(session: NewSession, entry: AuditEntry, also: readonly Step[] = []): Promise<void> {
    const { db, audit } = this.storage;
    const now = Date.now();
    const { id, secret, person, epoch, userAgent: user_agent, address, remembered, expiresAt: expires_at } = session;
    // It changes nothing, but on PostgreSQL it makes a change of the password wait for this unit, or this unit for it.
    const sameEpoch = db
      .updateTable("people")
      .set({ sign_in_epoch: epoch })
      .where("id", "=", person.id)
      .where("sign_in_epoch", "=", epoch);
    const proof = { proof: "sign-in", proved_at: now } as const;
    const times = { created_at: now, last_seen_at: now, expires_at };
    const row = {
      id,
      hash: secretHash(secret),
      person: person.id,
      address,
      user_agent,
      remembered,
      ...proof,
      ...times,
    };
    const others = db.selectFrom("sessions").select("id").where("person", "=", person.id).where("id", "!=", id);
    const oldest = others
      .orderBy("created_at", "desc")
      .orderBy("id")
      .offset(SESSIONS.each - 1)
      .limit(SESSIONS.each);
    const added = db.insertInto("sessions").values(row);
    const ended = db.deleteFrom("sessions").where("id", "in", oldest);
    const mayEnter = lockingPerson(db, person.id).where("suspended_at", "is", null);
    const conditions = [required(sameEpoch, signInRefused), required(mayEnter, personSuspended)];
    await audit.runAudited([...conditions, added, ended, ...also], [entry]);
  }

  /** Finds a session with its person and their stores, in the order of joining. */
  async find(secret: string): Promise<FoundSession | undefined> {
    const rows = await sessionRows(this.storage.db, secretHash(secret));
    const [row] = rows;
    if (!row) return undefined;
    const { session_id: id, session_created_at: created_at } = row;
    return {
      session: sessionFromRow({ ...row, id, created_at }),
      person: personFromRow(row),
      stores: rows.toSorted(inOrderOfJoining).flatMap(storeOf),
      hasPassword: Boolean(row.has_password),
      hasSecondFactor: row.second_factor !== null || Boolean(row.has_passkey),
    };
  }

  /** Newest first. */
  async list({ id }: Pick<Person, "id">): Promise<SessionRow[]> {
    const query = this.storage.db.selectFrom("sessions").selectAll().where("person", "=", id);
    return (await query.orderBy("last_seen_at", "desc").limit(SESSIONS.each).execute()).map(sessionFromRow);
  }

  async keepSeen(id: string, expires_at: number, last_seen_at: number): Promise<void> {
    await this.storage.db.updateTable("sessions").set({ last_seen_at, expires_at }).where("id", "=", id).execute();
  }

  async prove(id: string, proved_at: number): Promise<void> {
    await this.storage.db.updateTable("sessions").set({ proved_at, proof: "asked" }).where("id", "=", id).execute();
  }

  /** Changes one row if the session has a proof that was asked for since that time, and none otherwise. */
  spending(id: string, since: number): Statement {
    const proof = this.storage.db.updateTable("sessions").set({ proof: "spent" }).where("id", "=", id);
    return proof.where("proof", "=", "asked").where("proved_at", ">=", since);
  }

  /** Resolves with false if the person has no such session. */
  async end({ id: person }: Pick<Person, "id">, id: string, entries: readonly AuditEntry[]): Promise<boolean> {
    const ended = this.storage.db.deleteFrom("sessions").where("person", "=", person).where("id", "=", id);
    return this.storage.audit.runAuditedIfChanged(ended, entries);
  }

  /** Resolves with false if there is no other. */
  async endOthers({ id: person }: Person, keptId: string, entry: AuditEntry): Promise<boolean> {
    const others = this.storage.db.deleteFrom("sessions").where("person", "=", person).where("id", "!=", keptId);
    return this.storage.audit.runAuditedIfChanged(others, [entry]);
  }
}

/** One query for the session, its person and a row for each of their stores, since every request of a page needs them. */
const sessionRows = builtOnce("session with its person and stores", (db, hash: RawBuilder<Uint8Array>) =>
  db
    .selectFrom("sessions")
    .innerJoin("people", "people.id", "sessions.person")
    .leftJoin("members", "members.person", "people.id")
    .leftJoin("stores", "stores.number", "members.store")
    .select(["people.id", "people.name", "email", "email_verified", "second_factor", "people.created_at"])
    .select(["sessions.id as session_id", "sessions.created_at as session_created_at", "last_seen_at", "expires_at"])
    .select(["address", "user_agent", "remembered", "proved_at", "proof"])
    .select(["number", "stores.id as store_id", "stores.name as store_name", "test", "second_factor_required", "role"])
    .select(["joined_at", "stores.suspended_at", "suspension_reason"])
    .select(({ exists, selectFrom }) => {
      const passkeys = selectFrom("passkeys").select("passkeys.id").whereRef("passkeys.person", "=", "people.id");
      return [sql<boolean | number>`password IS NOT NULL`.as("has_password"), exists(passkeys).as("has_passkey")];
    })
    .where("hash", "=", hash),
);

type SessionStore = Awaited<ReturnType<typeof sessionRows>>[number];

/** PostgreSQL would take a tenth of the query's time to sort what is mostly one row. */
function inOrderOfJoining(a: SessionStore, b: SessionStore): number {
  return (a.joined_at ?? 0) - (b.joined_at ?? 0) || (a.number ?? 0) - (b.number ?? 0);
}

/** None for who belongs to no store. */
function storeOf({ number, store_id: id, store_name: name, test, role, ...row }: SessionStore): Membership[] {
  if (number === null || id === null || name === null || role === null) return [];
  return [membershipFromRow({ ...row, number, id, name, role, test })];
}

type SessionColumns =
  | "id"
  | "user_agent"
  | "address"
  | "created_at"
  | "last_seen_at"
  | "expires_at"
  | "remembered"
  | "proof"
  | "proved_at";

function sessionFromRow(row: Pick<Selectable<Schema["sessions"]>, SessionColumns>): SessionRow {
  const {
    id,
    user_agent: userAgent,
    address,
    created_at: createdAt,
    last_seen_at: seenAt,
    expires_at: expiresAt,
  } = row;
  const proof = { kind: row.proof, at: row.proved_at };
  return { id, userAgent, address, createdAt, seenAt, expiresAt, remembered: Boolean(row.remembered), proof };
}
