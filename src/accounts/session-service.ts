import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import { DAY_MS } from "#core/duration.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import type { Person } from "#core/person.ts";
import type { Session } from "#core/session.ts";
import type { Step } from "#storage/database-access.ts";
import type { RenewedSession } from "#storage/sign-in/credentials.ts";
import type { SessionRow } from "#storage/sign-in/sessions.ts";
import { callerOf, userAgentOf } from "./client.ts";
import { randomSecret } from "./secrets.ts";
import { hasCookie, type SignInCookies } from "./sign-in-cookies.ts";
import type { SignInTables } from "./sign-in-tables.ts";

/**
 * The longest times of a session: without use (`idle`), in all (`age`, ASVS 5, 7.3.2), and in all without "remember
 * me" (`brief`), when it also ends with the browser.
 */
const LIFETIMES_MS = { idle: 7 * DAY_MS, age: 30 * DAY_MS, brief: DAY_MS } as const;

export interface Opening {
  readonly person: Person;
  readonly epoch: number;
  readonly remembered: boolean;
  readonly method: "password" | "passkey" | "code" | "backup code" | "trusted device" | "identity provider";
  readonly also?: readonly Step[] | undefined;
}

/** Sessions by cookie, stored in the database, so that ending one takes effect on every node at once. */
export class SessionService {
  constructor(
    private readonly tables: SignInTables,
    private readonly cookies: SignInCookies,
  ) {}

  /** True if `find` would find a session. It only reads: the session does not last longer for it. */
  async isSignedIn(client: ClientInfo): Promise<boolean> {
    return (await this.look(client)) !== undefined;
  }

  /** The person of the session that `find` would find, with their stores. It only reads, too. */
  async look(client: ClientInfo): Promise<Pick<Session, "stores" | "hasSecondFactor"> | undefined> {
    const stored = await this.#stored(client);
    return stored && !isExpired(stored.session, Date.now()) ? stored : undefined;
  }

  /** Undefined if the request has no session, or one that has ended. */
  async find(client: ClientInfo): Promise<Session | undefined> {
    const stored = await this.#stored(client);
    if (!stored) return undefined;
    const { secret, session, ...found } = stored;
    const { person } = found;
    const now = Date.now();
    if (isExpired(session, now)) {
      await this.tables.sessions.end(person, session.id, []);
      return undefined;
    }
    const expiresAt = endOf(session, now);
    const seen = now - session.seenAt >= 5 * 60_000;
    if (seen) await this.tables.sessions.keepSeen(session.id, expiresAt, now);
    const renewed = seen && session.remembered;
    return {
      ...found,
      id: session.id,
      expiresAt,
      remembered: session.remembered,
      proof: session.proof,
      cookies: renewed ? [await this.#cookie(client, secret, expiresAt - now)] : [],
      caller: callerOf(client, person, session.id),
    };
  }

  async require(client: ClientInfo): Promise<Session> {
    const session = await this.find(client);
    if (!session) throw sessionMissing();
    return session;
  }

  /** Opens a session, and ends the one that the browser had (ASVS 5, 7.2.4). Resolves with `Set-Cookie` lines. */
  async open(client: ClientInfo, { person, epoch, remembered, method, also }: Opening): Promise<string[]> {
    const before = await this.find(client);
    const secret = newSecret();
    const now = Date.now();
    const expiresAt = now + (remembered ? LIFETIMES_MS.idle : LIFETIMES_MS.brief);
    const { address } = client;
    const id = crypto.randomUUID();
    const session = { id, secret, person, epoch, userAgent: userAgentOf(client), address, expiresAt, remembered };
    const detail = { method, new_device: (await this.cookies.knownDevice(client, person)) === undefined };
    const by = { ...callerOf(client, person, id), ofPerson: person.id };
    const entry = { ...by, action: "sign_in.succeeded", detail } as const;
    await this.tables.sessions.add(session, entry, also);
    if (before) await this.tables.sessions.end(before.person, before.id, []);
    return [
      await this.#cookie(client, secret, remembered ? LIFETIMES_MS.idle : undefined),
      await this.cookies.writeDevice(client, person),
      ...(hasCookie(client, "two_factor") ? [this.cookies.clear(client, "two_factor")] : []),
    ];
  }

  /** A new id, and a new secret in its cookie, for a session. The caller stores them. */
  async renewal(
    client: ClientInfo,
    { id, expiresAt, remembered }: Session,
  ): Promise<{ renewedSession: RenewedSession; cookies: string[] }> {
    const secret = newSecret();
    const ageMs = remembered ? expiresAt - Date.now() : undefined;
    return {
      renewedSession: { id, newId: crypto.randomUUID(), newSecret: secret },
      cookies: [await this.#cookie(client, secret, ageMs)],
    };
  }

  async signOut(client: ClientInfo): Promise<string[]> {
    const session = await this.find(client);
    if (session) await this.end(session, session.id);
    const names = ["session_token", "two_factor", "passkey"] as const;
    const ended = names.filter((name) => hasCookie(client, name)).map((name) => this.cookies.clear(client, name));
    return [...ended, ...this.cookies.clearProvider(client)];
  }

  list({ person }: Session): Promise<SessionRow[]> {
    return this.tables.sessions.list(person);
  }

  /** Resolves with false if the person has no such session. */
  async end(session: Session, id: string): Promise<boolean> {
    const ended = (await this.list(session)).find((listed) => listed.id === id);
    const { person, caller } = session;
    const detail = { device: deviceName(ended?.userAgent ?? "") };
    return this.tables.sessions.end(person, id, [
      { ...caller, ofPerson: person.id, action: "session.ended", target: id, detail },
    ]);
  }

  async endOthers({ id, person, caller }: Session): Promise<void> {
    const detail = { all_others: true };
    // It resolves with false where there is no other.
    await this.tables.sessions.endOthers(person, id, {
      ...caller,
      ofPerson: person.id,
      action: "session.ended",
      detail,
    });
  }

  /** The stored session of the client's cookie, which may have expired. */
  async #stored(client: ClientInfo) {
    const secret = await this.cookies.read(client, "session_token");
    const found = secret && (await this.tables.sessions.find(secret));
    return secret && found ? { secret, ...found } : undefined;
  }

  #cookie(client: ClientInfo, secret: string, ageMs: number | undefined): Promise<string> {
    return this.cookies.write(client, "session_token", secret, ageMs && Math.ceil(ageMs / 1000));
  }
}

function newSecret(): string {
  return randomSecret(32);
}

/** True also for a session of a clock that was far ahead, which would last longer than any may. */
function isExpired({ expiresAt, createdAt }: SessionRow, now: number): boolean {
  return Math.min(expiresAt, createdAt + LIFETIMES_MS.age) <= now || createdAt > now + LIFETIMES_MS.brief;
}

function endOf({ createdAt, expiresAt, remembered }: SessionRow, now: number): number {
  return remembered ? Math.min(now + LIFETIMES_MS.idle, createdAt + LIFETIMES_MS.age) : expiresAt;
}

export function providerRequired(): Failure {
  return new Failure(
    "provider-required",
    "This service asks for its identity provider: sign in by it, or as an owner with a second factor or a passkey",
  );
}
