import type { z } from "zod";
import type { ClientInfo } from "#core/client-info.ts";
import { type Membership, roleRefused, secondFactorMissing, storeUnknown } from "#core/member.ts";
import { mayDo, type Right } from "#core/role.ts";
import type { GivenProof, Session } from "#core/session.ts";
import { requireSession, type SessionReport, storeIdOf } from "../callers.ts";
import type { DashboardContext, PrivateRoute } from "./private-route.ts";

export interface RouteRequest {
  readonly client: ClientInfo;
  readonly report: SessionReport;
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
 * right.
 * The act has its turn by `inTurn`, which is given the session, if there is one.
 */
export async function serveRoute(
  route: PrivateRoute,
  context: DashboardContext,
  request: RouteRequest,
  inTurn: (session: Session | undefined, act: () => Served) => Served,
): Served {
  const atHead = await admit(route, context, request);
  const form = await request.form(route.form);
  // A session may have ended, and a role have changed, while the body was under way.
  const { session, store, storeId, caller } = request.hasBody ? await admit(route, context, request) : atHead;
  return inTurn(session, async () => {
    const { client, id, search } = request;
    const cookies = [...(atHead.session?.cookies ?? []), ...(session?.cookies ?? [])];
    const taken = { client, session, caller, store, storeId, form, search, id, cookies };
    if (session) await requireProof(route, context, { ...taken, session });
    const answer = await route.act(context, taken as never);
    return { answer, cookies: oneOfEachName(cookies) };
  });
}

/** Gives the person, and the store in which they act. Throws "session-missing", "role-refused", and what `storeFor` throws. */
async function admit(route: PrivateRoute, context: DashboardContext, request: RouteRequest) {
  const session = await sessionFor(route, context, request);
  const storeId = storeIdOf(request.client);
  const store = session && route.right && storeFor(session, storeId, route.right);
  if (store && route.right && !mayDo(store.role, route.right)) throw roleRefused(route.right);
  const caller = session && { ...session.caller, account: store?.account ?? 0 };
  if (caller) request.report.pageCaller = caller;
  return { session, storeId, store, caller };
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

/** Throws "resource-unknown" if the person does not belong to the store, and "second-factor-missing". Leaving it takes none. */
function storeFor({ stores, hasSecondFactor }: Session, storeId: string | undefined, right: Right): Membership {
  const store = storeShown(stores, storeId);
  if (!store) throw storeUnknown();
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
