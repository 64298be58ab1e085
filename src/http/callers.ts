import type { AuthService } from "#accounts/auth-service.ts";
import { type ApiCaller, type Caller, FRESH_MS, type StoreCaller } from "#core/caller.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import { type Membership, roleRefused } from "#core/member.ts";
import { displayName } from "#core/person.ts";
import { RIGHT_OF_SCOPE, scopesOf } from "#core/role.ts";
import type { Session } from "#core/session.ts";
import { storeSuspended } from "#core/store.ts";
import { isWellFormedSecret, type Scope, secretIn, tokenRefused } from "#core/token.ts";
import type { ArrivedRequest } from "./arrived-request.ts";
import type { RequestContext } from "./request-context.ts";
import { bearerHeader, type CachedToken } from "./token-cache.ts";

const CHALLENGE = 'Bearer realm="plantstore"';

/*
 * This file alone reads the headers that tell who sent a request: the bearer token of a program, or the session of a
 * person.
 */

/**
 * Bearer authentication (RFC 6750). A token in the cache is checked without waiting. The token is reported even if it
 * lacks a scope, since the refusal counts as its use.
 */
export function authenticate(
  context: RequestContext,
  scopes: readonly Scope[],
  now: number,
): CachedToken | Promise<CachedToken> {
  const header = context.raw.headers.get("authorization") ?? "";
  const fresh = context.service.tokens.fresh(header, now);
  return fresh ? permitted(context, fresh, scopes) : lookedUp(context, header, scopes, now);
}

async function lookedUp(
  context: RequestContext,
  header: string,
  scopes: readonly Scope[],
  now: number,
): Promise<CachedToken> {
  const { tokens } = context.service;
  const secret = secretIn(header);
  if (!secret) throw missing();
  if (!isWellFormedSecret(secret)) throw tokenRefused();
  const found = tokens.fresh(bearerHeader(secret), now) ?? (await tokens.lookUp(secret));
  if (!found) throw tokenRefused();
  return permitted(context, found, scopes);
}

function permitted(context: RequestContext, cached: CachedToken, scopes: readonly Scope[]): CachedToken {
  context.report.caller = cached;
  const { suspension } = cached.token;
  if (suspension !== undefined) throw storeSuspended(suspension);
  for (const scope of scopes) requireScope(cached, scope);
  return cached;
}

/** Checks the caller again once the body has arrived, since its token or session may have ended after the head. */
export function requireStill(caller: ApiCaller): void | Promise<void> {
  const may = caller.stillMay();
  if (may === true) return;
  if (may === false) throw caller.refusal();
  return may.then((still) => {
    if (!still) throw caller.refusal();
  });
}

/** Throws "scope-missing", or "role-refused" for a page. */
export function requireScope({ scopes, person }: Pick<ApiCaller, "scopes" | "person">, scope: Scope): void {
  if (scopes.includes(scope)) return;
  if (person !== undefined) throw roleRefused(RIGHT_OF_SCOPE[scope]);
  throw new Failure("scope-missing", `This token may not do that: it lacks the scope ${scope}`, {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });
}

function missing(): Failure {
  return new Failure("token-missing", "Send a token: Authorization: Bearer <ACCESS_TOKEN>", {
    headers: { "WWW-Authenticate": CHALLENGE },
  });
}

/** Names a caller of the API in the audit log, with the request in which it acts. */
export function namedInLog(
  { account, actor, person }: ApiCaller,
  { id, address, userAgent }: ArrivedRequest,
): StoreCaller {
  const request = { account, actor, address, requestId: id };
  return person === undefined ? request : { ...request, person, device: deviceName(userAgent) };
}

/** The person of a session, who acts in a store by a page. */
export class PageCaller implements ApiCaller {
  readonly account: ApiCaller["account"];
  readonly actor: ApiCaller["actor"];
  readonly person: string;
  readonly displayName: string;
  readonly scopes: readonly Scope[];
  readonly token = undefined;
  /** The `Set-Cookie` lines for the answer. */
  readonly cookies: readonly string[];
  #refusal: Failure | undefined;
  #asked = { at: Date.now(), may: Promise.resolve(true) };

  /** `again` rejects with the Failure of a person who may not do this any more. */
  constructor(
    { person, caller, cookies }: Session,
    { account, role }: Membership,
    private readonly again: () => Promise<unknown>,
  ) {
    this.account = account;
    this.actor = caller.actor;
    this.person = person.id;
    this.displayName = displayName(person);
    this.scopes = scopesOf(role);
    this.cookies = cookies;
  }

  stillMay(freshMs = FRESH_MS): boolean | Promise<boolean> {
    if (this.#refusal) return false;
    const now = Date.now();
    const isFresh = now - this.#asked.at <= freshMs && now >= this.#asked.at;
    if (!isFresh) this.#asked = { at: now, may: this.#ask() };
    return this.#asked.may;
  }

  refusal(): Failure {
    return this.#refusal ?? sessionMissing();
  }

  /** Rejects with "unavailable" if the store is out of reach. */
  async #ask(): Promise<boolean> {
    try {
      await this.again();
      return true;
    } catch (error) {
      if (!(error instanceof Failure) || error.code === "unavailable") throw error;
      this.#refusal = error;
      return false;
    }
  }
}

/** The session of the request's cookie. Throws "session-missing". A bearer token is never looked at. */
export async function requireSession(
  { client, report }: { readonly client: ClientInfo; readonly report: SessionReport },
  sessions: Pick<AuthService["sessions"], "find">,
): Promise<Session> {
  const session = await sessions.find(client);
  if (!session) throw sessionMissing();
  report.caller = session.caller;
  return session;
}

/** The store that a page of the dashboard shows, by its id. */
export function storeIdOf({ headers }: ClientInfo): string | undefined {
  return headers.get("plantstore-account") ?? undefined;
}

export interface SessionReport {
  caller: Caller | undefined;
}
