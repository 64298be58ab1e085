import type { AccountNumber, CreateOutcome } from "./plant.ts";
import type { Token } from "./token.ts";
import type { RequestSpan, TraceParent } from "./trace.ts";

/** The kinds of addresses that figures are kept by, with their methods. */
export const ROUTES = {
  create: ["POST"],
  bulk: ["POST"],
  read: ["GET"],
  list: ["GET"],
  search: ["GET"],
  change: ["PUT", "PATCH"],
  remove: ["DELETE"],
  export: ["GET"],
  events: ["GET", "POST"],
  webhooks: ["GET", "POST", "PATCH", "DELETE"],
  dashboard: ["GET", "POST", "PATCH", "DELETE"],
  auth: ["GET", "POST"],
  other: ["GET"],
} as const;
export type Route = keyof typeof ROUTES;

/** The report of a handler on its request, for usage counts, the request log, metrics and traces. */
export interface RequestReport {
  route: Route;
  /** False for imports, streams and waits for events, whose duration says nothing about the service. */
  isTimed: boolean;
  created: number;
  /** The outcome of a single create. */
  outcome: Exclude<CreateOutcome, "taken-alike"> | undefined;
  plantId: bigint | undefined;
  /** The update time of the plant that the request changed, in milliseconds since 1970. */
  plantUpdatedAt: number | undefined;
  /** The text of a single plant or patch that was read. */
  bodyText: string | undefined;
  /** The error by which the request failed: a Failure, or a fault. */
  error: unknown;
}

/** A request whose answer is known. Reading a member may compute it: read only what is needed. */
export interface EndedRequest extends Readonly<RequestReport> {
  readonly id: string;
  readonly method: string;
  /** The path as it was sent, without its query. */
  readonly path: string;
  readonly query: string;
  /** True for the operations of the API, also by a page; false for the dashboard's pages, its own routes and sign-in. */
  readonly isApi: boolean;
  /** The client's address, or "" if it left already. */
  readonly address: string;
  readonly userAgent: string;
  /** The body's length, if the request said it. */
  readonly bytesIn: number | undefined;
  /** The caller's trace; undefined if it sent none. */
  readonly trace: TraceParent | undefined;
  readonly span: RequestSpan | undefined;
  /**
   * The token that was sent; undefined if it was never looked up. The token of a refused request may have ended since its
   * last look-up.
   */
  readonly token: Token | undefined;
  /** The person whose page sent the request, with their e-mail address as the name. */
  readonly person: { readonly id: string; readonly name: string } | undefined;
  /** The account of the token or the session. */
  readonly account: AccountNumber | undefined;
  readonly status: number;
  /** The number in the Error shape, if the request was refused. */
  readonly errorNumber: number | undefined;
  /** The message of a refusal, as the client got it. */
  readonly message: string | undefined;
  readonly durationMs: number;
  /** The time by performance.now(). */
  readonly endedAt: number;
}

/** Is told of each request when its answer is known. Calls are cheap, never throw and never wait. */
export interface RequestSink {
  requestEnded(request: EndedRequest): void;
}
