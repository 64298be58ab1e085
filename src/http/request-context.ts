import { errorNumber } from "#contract/errors.ts";
import type { ApiCaller, Caller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EndedRequest, RequestReport, Route } from "#core/request.ts";
import type { Scope, Token } from "#core/token.ts";
import { type CountedAs, countedAs, networkOf } from "#load/counted-as.ts";
import { ArrivedRequest } from "./arrived-request.ts";
import type { HttpServer, ServiceParts } from "./service-parts.ts";
import { CachedToken } from "./token-cache.ts";
import type { AwaitedBody } from "./unfinished-bodies.ts";

/** A request as its handler has it: as it arrived, with a report for the handler to fill. */
export interface RequestContext extends ArrivedRequest, AwaitedBody {
  readonly report: HandlerReport;
  /** Headers of the answer, refusals included: the rate, if the request was counted for it, and an applied preference. */
  ownHeaders: Record<string, string> | undefined;
  /**
   * The one for whom limits count the request: the account whose token is good, the store and the person of a page, or else the
   * network of the client, whose address a trusted proxy names.
   */
  readonly subject: CountedAs;
  /** True once it is answered, also if that was done without the handler. */
  readonly hasEnded: boolean;
  /** Finds the caller of an operation, who has its scopes; undefined where that is a program with its token. */
  readonly callerOf: CallerOf | undefined;
}

export type CallerOf = (context: RequestContext, scopes: readonly Scope[]) => Promise<ApiCaller>;

interface HandlerReport extends RequestReport {
  /** The one whose token or session was found. Handlers get it from the check (`./callers.ts`). */
  caller: Caller | undefined;
}

function ignore(): void {}

/**
 * One request, in the stages that its types name. An `ArrivedRequest` never changes. A handler has a `RequestContext`,
 * with a report to fill. When the answer is known, `./respond.ts` ends it, and the parts that count, limit and log
 * requests get an `EndedRequest`. It is one object, so that a create allocates no other.
 */
export class ServedRequest extends ArrivedRequest implements RequestContext, HandlerReport, EndedRequest {
  readonly isApi: boolean;
  readonly callerOf: CallerOf | undefined;
  route: Route;
  caller: Caller | undefined = undefined;
  ownHeaders: Record<string, string> | undefined = undefined;
  outcome: RequestReport["outcome"] = undefined;
  created = 0;
  plantId: bigint | undefined = undefined;
  plantUpdatedAt: number | undefined = undefined;
  bodyText: string | undefined = undefined;
  isTimed = true;
  error: unknown = undefined;
  status = 0;
  durationMs = 0;
  endedAt = 0;
  /** Answers with this error at once, even if the handler is still waiting. */
  refuse: (error: unknown) => void = ignore;
  previous: AwaitedBody | undefined = undefined;
  next: AwaitedBody | undefined = undefined;

  /** The API serves the address if there is no `mount`. */
  constructor(
    service: ServiceParts,
    raw: Request,
    server: HttpServer,
    mount?: { readonly route: Route; readonly isApi?: true; readonly callerOf?: CallerOf },
  ) {
    super(service, raw, server);
    this.isApi = mount === undefined || mount.isApi === true;
    this.callerOf = mount?.callerOf;
    this.route = mount?.route ?? "other";
  }

  get report(): HandlerReport {
    return this;
  }

  end(status: number): void {
    this.status = status;
    this.endedAt = performance.now();
    this.durationMs = this.endedAt - this.startedAt;
  }

  get hasEnded(): boolean {
    return this.status !== 0;
  }

  get errorNumber(): number | undefined {
    return this.error === undefined ? undefined : errorNumber(this.error);
  }

  get message(): string | undefined {
    if (this.error === undefined) return undefined;
    return this.error instanceof Failure ? this.error.message : "The service failed";
  }

  get cachedToken(): CachedToken | undefined {
    return this.caller instanceof CachedToken ? this.caller : undefined;
  }

  get subject(): CountedAs {
    return this.caller ? countedAs(this.caller) : networkOf(this.address);
  }

  get token(): Token | undefined {
    const { caller } = this;
    if (caller || this.error === undefined || !this.isApi || this.callerOf) return this.cachedToken?.token;
    return this.service.tokens.lastSeen(this.raw.headers.get("authorization") ?? "");
  }

  get account(): AccountNumber | undefined {
    return this.caller?.account ?? this.token?.account;
  }

  get person(): EndedRequest["person"] {
    const { caller } = this;
    return caller?.person === undefined ? undefined : { id: caller.person, name: caller.actor.name };
  }
}
