import type { AuthService } from "#accounts/auth-service.ts";
import type { Caller } from "#core/caller.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { deviceName } from "#core/device-name.ts";
import type { EventActor } from "#core/event-actor.ts";
import { Failure, sessionMissing } from "#core/failure.ts";
import type { Session } from "#core/session.ts";
import { isWellFormedSecret, type Scope, secretIn, type Token, tokenEnded } from "#core/token.ts";
import type { ArrivedRequest } from "./arrived-request.ts";
import type { RequestContext } from "./request-context.ts";
import { bearerHeader, type CachedToken, type TokenCache } from "./token-cache.ts";

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

/** Checks the token again once the body has arrived, since it may have been revoked after the head. */
export function authenticateAgain(tokens: TokenCache, cached: CachedToken, now: number): void | Promise<void> {
  const good = tokens.isStillGood(cached, now);
  if (good === true) return;
  if (good === false) throw tokenRefused();
  return good.then((isGood) => {
    if (!isGood) throw tokenRefused();
  });
}

function permitted(context: RequestContext, cached: CachedToken, scopes: readonly Scope[]): CachedToken {
  context.report.cachedToken = cached;
  for (const scope of scopes) requireScope(cached.token, scope);
  return cached;
}

export function requireScope({ scopes }: Token, scope: Scope): void {
  if (scopes.includes(scope)) return;
  throw new Failure("scope-missing", `This token may not do that: it lacks the scope ${scope}`, {
    headers: { "WWW-Authenticate": `${CHALLENGE}, error="insufficient_scope", scope="${scope}"` },
  });
}

function missing(): Failure {
  return new Failure("token-missing", "Send a token: Authorization: Bearer <ACCESS_TOKEN>", {
    headers: { "WWW-Authenticate": CHALLENGE },
  });
}

export function tokenRefused(): Failure {
  return tokenEnded("The token is unknown, malformed, expired or revoked; send exactly one that is active");
}

/** The caller that acts by a token: for one of a page of the dashboard, the person of its session. */
export async function callerBy(arrived: ArrivedRequest, token: Token): Promise<Caller> {
  const { id, address, userAgent } = arrived;
  const { account } = token;
  const request = { account, address, requestId: id };
  if (token.session === undefined) return { ...request, actor: { kind: "token", id: token.id, name: token.name } };
  const person = await personOf(arrived, token);
  const actor = { kind: "session", id: token.session, name: person?.email ?? "" } as const;
  return { ...request, actor, person: person?.id, device: deviceName(userAgent) };
}

/** The actor behind a token, as events record it; undefined for a page whose person is gone. */
export async function eventActorBy(request: ArrivedRequest, token: Token): Promise<EventActor | undefined> {
  if (token.session === undefined) return { kind: "token", id: token.id, name: token.name };
  const person = await personOf(request, token);
  return person && { kind: "person", id: person.id, name: person.name.trim() || person.email };
}

/** The person whose page of the dashboard a token is of. */
function personOf({ service }: Pick<ArrivedRequest, "service">, { madeBy }: Token) {
  return service.records.people.find({ id: madeBy ?? "" });
}

/** The session of the request's cookie. Throws "session-missing". A bearer token is never looked at. */
export async function requireSession(
  { client, report }: { readonly client: ClientInfo; readonly report: SessionReport },
  sessions: Pick<AuthService["sessions"], "find">,
): Promise<Session> {
  const session = await sessions.find(client);
  if (!session) throw sessionMissing();
  report.pageCaller = { ...session.caller, account: 0 };
  return session;
}

/** The store that a page of the dashboard shows, by its id. */
export function storeIdOf({ headers }: ClientInfo): string | undefined {
  return headers.get("plantstore-account") ?? undefined;
}

export interface SessionReport {
  pageCaller: Caller | undefined;
}
