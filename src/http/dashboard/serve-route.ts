import type { z } from "zod";
import type { ClientInfo } from "#core/client-info.ts";
import { sessionMissing } from "#core/failure.ts";
import { type Membership, roleRefused, secondFactorMissing, storeUnknown } from "#core/member.ts";
import { mayDo, RIGHT_OF_SCOPE, type Right } from "#core/role.ts";
import type { GivenProof, Session } from "#core/session.ts";
import { storeSuspended } from "#core/store.ts";
import type { Scope } from "#core/token.ts";
import { PageCaller, requireSession, type SessionReport, storeIdOf } from "../callers.ts";
import type { DashboardContext, PrivateRoute } from "./private-route.ts";

export interface RouteRequest {
  readonly client: ClientInfo;
  readonly report: SessionReport;
  /** False for a request that only reads. */
  readonly isChange: boolean;
  readonly id: string;
  readonly search: string;
  readonly hasBody: boolean;
  /** Reads the body, if there is one. Throws "member-invalid" for its first fault; without a schema only its size is checked. */
  form(schema: z.ZodType | undefined): Promise<unknown>;
}

/** Resolves with what the act resolved with, and the `Set-Cookie` lines. */
export type Served = Promise<{ readonly answer: unknown; readonly cookies: readonly string[] }>;

/**
 * Checks what the route takes, in this order, and acts: the session, the role, the form, the proof. No other file compares a
 * right before the act; the unit of an audited act asks once more (`storage/still-allowed.ts`).
 * The act has its turn by `inTurn`, which is given the session, if there is one.
 */
export async function serveRoute(
  route: PrivateRoute,
  context: DashboardContext,
  request: RouteRequest,
  inTurn: (session: Session | undefined, act: () => Served) => Served,
): Served {
  const beforeBody = await admit(route, context, request);
  const form = await request.form(route.form);
  // A session may have ended, and a role have changed, while the body was under way.
  const { session, store, storeId, caller, parts } = request.hasBody
    ? await admit(route, context, request)
    : beforeBody;
  return inTurn(session, async () => {
    const { client, id, search } = request;
    const cookies = [...(beforeBody.session?.cookies ?? []), ...(session?.cookies ?? [])];
    const taken = { client, session, caller, store, storeId, parts, form, search, id, cookies };
    if (session) await requireProof(route, context, { ...taken, session });
    const answer = await route.act(context, taken as never);
    return { answer, cookies: oneOfEachName(cookies) };
  });
}

/**
 * Finds the caller of an operation of the API by a page: the person of the session, in the store that it names. Throws as for
 * any private route.
 */
export async function callerByPage(
  context: DashboardContext,
  request: Pick<RouteRequest, "client" | "report" | "isChange">,
  scopes: readonly Scope[],
): Promise<PageCaller> {
  const session = await requireSession(request, context.sessions);
  const rights = scopes.map((scope) => RIGHT_OF_SCOPE[scope]);
  const store = storeFor(session, { storeId: storeIdOf(request.client), isChange: request.isChange });
  const caller = new PageCaller(session, store, async () => {
    const still = await context.sessions.look(request.client);
    if (!still) throw sessionMissing();
    requireRights(storeFor(still, { storeId: store.id }), rights);
  });
  request.report.caller = caller;
  requireRights(store, rights);
  return caller;
}

/** Gives the person, and the store in which they act. Throws "session-missing", "role-refused", and what `storeFor` throws. */
async function admit(route: PrivateRoute, context: DashboardContext, request: RouteRequest) {
  const session = await sessionFor(route, context, request);
  const storeId = storeIdOf(request.client);
  const { isChange } = request;
  const store = session && route.right && storeFor(session, { storeId, isChange, right: route.right });
  if (store && route.right) requireRights(store, [route.right]);
  const parts = store ? partsFor(store, route, request.search) : [];
  const caller = session && (store ? { ...session.caller, account: store.account } : session.caller);
  if (caller) request.report.caller = caller;
  return { session, storeId, store, caller, parts };
}

/** The parts that the role may have. Throws "role-refused" if the query asks for another. */
function partsFor({ role }: Membership, { parts }: PrivateRoute, search: string): string[] {
  const query = new URLSearchParams(search);
  return Object.entries(parts).flatMap(([name, right]) => {
    if (mayDo(role, right)) return [name];
    if (query.has(name)) throw roleRefused(right);
    return [];
  });
}

function requireRights({ role }: Membership, rights: readonly Right[]): void {
  for (const right of rights) if (!mayDo(role, right)) throw roleRefused(right);
}

/** Throws "session-missing" if the route takes a session and there is none. */
async function sessionFor(
  { takes }: PrivateRoute,
  { sessions, signIn }: DashboardContext,
  request: RouteRequest,
): Promise<Session | undefined> {
  if (takes === "anybody") return undefined;
  if (takes === "code or session" && (await signIn.awaitsCode(request.client))) return undefined;
  if (takes === "visitor or session" && !(await sessions.find(request.client))) return undefined;
  return requireSession(request, sessions);
}

interface Shown {
  readonly storeId: string | undefined;
  readonly isChange?: boolean;
  readonly right?: Right;
}

/**
 * Throws "account-suspended" and "second-factor-missing", which leaving does not take, and "resource-unknown" if the person does not belong to the
 * store, or belongs to several and a change names none: two windows may show two stores.
 */
function storeFor(
  session: Pick<Session, "stores" | "hasSecondFactor">,
  { storeId, isChange = false, right }: Shown,
): Membership {
  const { stores, hasSecondFactor } = session;
  const store = storeShown(stores, storeId);
  if (!store || (isChange && storeId === undefined && stores.length > 1)) throw storeUnknown();
  if (store.suspension && right !== "leave") throw storeSuspended(store.suspension);
  if (store.needsSecondFactor && !hasSecondFactor && right !== "leave") {
    throw secondFactorMissing(`${store.name} asks for`);
  }
  return store;
}

/**
 * The store that the page shows: the one that it names, or the one that was joined first; undefined for who
 * belongs to none. Throws "resource-unknown" if the person does not belong to the one that it names.
 */
export function storeShown(stores: readonly Membership[], storeId: string | undefined): Membership | undefined {
  const store = storeId === undefined ? stores[0] : stores.find(({ id }) => id === storeId);
  if (storeId !== undefined && !store) throw storeUnknown();
  return store;
}

/** Throws "proof-needed". */
async function requireProof(
  { proof }: PrivateRoute,
  context: DashboardContext,
  request: { readonly client: ClientInfo; readonly session: Session; readonly form: unknown },
): Promise<void> {
  const needed = typeof proof === "function" ? await proof(request as never, context) : proof;
  const { client, session, form } = request;
  if (needed) await context.proofs.require(needed, client, session, (form ?? {}) as GivenProof);
}

/** The `Set-Cookie` lines without those that a later one of the same name replaces (RFC 6265, 4.1.1). */
function oneOfEachName(lines: readonly string[]): string[] {
  return [...new Map(lines.map((line) => [line.slice(0, line.indexOf("=")), line])).values()];
}
