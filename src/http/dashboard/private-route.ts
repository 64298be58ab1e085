import type { z } from "zod";
import type { AuthService } from "#accounts/auth-service.ts";
import type { TokenService } from "#accounts/token-service.ts";
import type { Caller, StoreCaller } from "#core/caller.ts";
import type { ClientInfo } from "#core/client-info.ts";
import type { Membership } from "#core/member.ts";
import type { Records } from "#core/records.ts";
import type { Right } from "#core/role.ts";
import type { ProofNeeded, Session } from "#core/session.ts";
import type { ReadingThreads } from "../reading/functions.ts";
import type { TokenCache } from "../token-cache.ts";

/** The parts that private routes use. */
export interface DashboardContext extends AuthService {
  readonly records: Records;
  readonly reads: ReadingThreads;
  readonly tokens: TokenCache;
  readonly tokenRules: TokenService;
  /** The release of this program, as in "1.0.0". */
  readonly release: string;
}

interface VisitorRequest {
  readonly client: ClientInfo;
  /** The query of the address, with its question mark if there is one. */
  readonly search: string;
  /** The `Set-Cookie` lines of the answer. */
  readonly cookies: string[];
}

export interface PersonRequest extends VisitorRequest {
  readonly session: Session;
  readonly caller: Caller;
  /** The id in the path; "" if it has none. */
  readonly id: string;
  /** The id of the store that the page shows (`Plantstore-Account`); undefined if it names none. */
  readonly storeId: string | undefined;
}

/** The caller acts in the store. */
export interface MemberRequest extends PersonRequest {
  readonly store: Membership;
  readonly caller: StoreCaller;
  /** The names of the route's parts that the person's role may have. */
  readonly parts: readonly string[];
}

/** A request with or without a session. A proof is that of the session's person. */
type OpenRequest = VisitorRequest & { readonly session: Session | undefined };

type WithForm<Request, Schema extends z.ZodType> = Request & { readonly form: z.output<Schema> };

/** The proof for what the request changes. Rejects with the Failure of a form that names what cannot be changed. */
type ProofOf<Request> = (request: Request, context: DashboardContext) => MaybeProof | Promise<MaybeProof>;
type MaybeProof = ProofNeeded | undefined;

/** Resolves with an object, with the bytes of its JSON, or with nothing. */
type Act<Request> = (context: DashboardContext, request: Request) => Promise<unknown>;

/** The answer of an act that has only begun. */
export const ACCEPTED = Symbol("202");

/** The conditions of a private route. `./serve-route.ts` checks them; an act checks none of them again. */
export interface PrivateRoute {
  /**
   * "code or session": no session is needed by whom the service has asked for the code of a second factor. "visitor or
   * session": the act says which of the two it takes, by the form.
   */
  readonly takes: "anybody" | "session" | "code or session" | "visitor or session";
  /** The right that the person's role in a store must give; undefined for a route that acts in no store. */
  readonly right: Right | undefined;
  /**
   * The rights that parts of the answer take besides, by the names of the parts. Those whose role lacks one get an answer
   * without that part, and a refusal if a parameter of the query asks for it by its name.
   */
  readonly parts: Readonly<Record<string, Right>>;
  /** The body's members. Without a form the body is not read. */
  readonly form: z.ZodType | undefined;
  /** The proof of identity, given in the form or before. */
  readonly proof: ProofNeeded | ProofOf<never> | undefined;
  /** True for what a reading thread reads, in turns of its own. */
  readonly isRead: boolean;
  readonly act: Act<never>;
}

/** Routes by method and path, as in "POST /dashboard/api/tokens". */
export type PrivateRoutes = Readonly<Record<`${"GET" | "POST" | "PATCH"} /${string}`, PrivateRoute>>;

interface Taken<Schema extends z.ZodType, Request> {
  readonly parts?: PrivateRoute["parts"] | undefined;
  readonly form?: Schema;
  readonly proof?: ProofNeeded | ProofOf<WithForm<Request, Schema>>;
  readonly isRead?: boolean;
}

type Maker<Request> = <Schema extends z.ZodType>(
  taken: Taken<Schema, Request>,
  act: Act<WithForm<Request, Schema>>,
) => PrivateRoute;

function maker<Request>(takes: PrivateRoute["takes"], right?: Right): Maker<Request> {
  return ({ parts = {}, form, proof, isRead = false }, act) => ({ takes, right, parts, form, proof, isRead, act });
}

export function forAnybody<Schema extends z.ZodType>(
  { form }: { readonly form?: Schema },
  act: Act<WithForm<VisitorRequest, Schema>>,
): PrivateRoute {
  return { takes: "anybody", right: undefined, parts: {}, form, proof: undefined, isRead: false, act };
}

/** A route that needs a session but no store. */
export const forPerson = maker<PersonRequest>("session");

/** A route for people whose role in the shown store has the right. */
export function forMember<Schema extends z.ZodType>(right: Right, ...made: MadeFor<Schema>): PrivateRoute {
  return maker<MemberRequest>("session", right)(...made);
}
type MadeFor<Schema extends z.ZodType> = [
  taken: Taken<Schema, MemberRequest>,
  act: Act<WithForm<MemberRequest, Schema>>,
];

export const forCodeOrPerson = maker<OpenRequest>("code or session");
export const forVisitorOrPerson = maker<OpenRequest>("visitor or session");
