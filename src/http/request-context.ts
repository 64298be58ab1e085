import { errorNumber } from "#contract/errors.ts";
import type { ClientInfo } from "#core/client-info.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber, CreateOutcome } from "#core/plant.ts";
import type { EndedRequest, Route } from "#core/request.ts";
import type { Token } from "#core/token.ts";
import type { RequestSpan, TraceParent } from "#core/trace.ts";
import { pathOf, queryOf } from "./address.ts";
import { newRequestId } from "./request-id.ts";
import type { ServedVersion } from "./served-versions.ts";
import type { HttpServer, Service } from "./service.ts";
import type { CachedToken } from "./token-cache.ts";
import { traceOf } from "./trace-parent.ts";
import type { AwaitedBody } from "./unfinished-bodies.ts";

function ignore(): void {}

/**
 * One request, from its head to its answer. Handlers record here what they learn about it; when the request ends
 * (`./answered.ts`), the parts that count, limit and log requests read it.
 */
export class RequestContext implements EndedRequest {
  readonly id = newRequestId();
  readonly service: Service;
  /** The request as it arrived: the runtime finds its connection by this object. */
  readonly arrived: Request;
  readonly server: HttpServer;
  /** The version of the interface that the address names. */
  readonly version: ServedVersion;
  /** The session routes or pages that serve the address; undefined for the API. */
  mount: { readonly prefix: string } | undefined = undefined;
  route: Route = "other";
  cachedToken: CachedToken | undefined = undefined;
  sessionAccount: AccountNumber | undefined = undefined;
  outcome: CreateOutcome | undefined = undefined;
  created = 0;
  plantId: bigint | undefined = undefined;
  plantUpdatedAt: number | undefined = undefined;
  /** True for a stream of events, and for a request that waits for some. */
  waitsForEvents = false;
  rateHeaders: Record<string, string> | undefined = undefined;
  error: unknown = undefined;
  status = 0;
  durationMs = 0;
  endedAt = 0;
  bodyText: string | undefined = undefined;
  /** On the clock of performance.now(). */
  readonly startedAt = performance.now();
  /** Answers with this error at once, even if the handler is still waiting. */
  refuse: (error: unknown) => void = ignore;
  /** The neighbours in the list of requests that wait for their body. */
  previous: AwaitedBody | undefined = undefined;
  next: AwaitedBody | undefined = undefined;
  #request: Request | undefined = undefined;
  #sampled: { readonly span: RequestSpan | undefined } | undefined = undefined;
  #client: ClientInfo | undefined = undefined;

  constructor(service: Service, request: Request, server: HttpServer, version: ServedVersion) {
    this.service = service;
    this.arrived = request;
    this.server = server;
    this.version = version;
  }

  /**
   * The request with an absolute address, which HTTP/1.0 without Host does not have. A create never reads it, since
   * that costs 0.4 µs.
   */
  get request(): Request {
    this.#request ??= this.arrived.url.startsWith("/") ? new Request(this.#url, this.arrived) : this.arrived;
    return this.#request;
  }

  get hasEnded(): boolean {
    return this.status !== 0;
  }

  end(status: number): void {
    this.status = status;
    this.endedAt = performance.now();
    this.durationMs = this.endedAt - this.startedAt;
  }

  /** Lets handlers read a body that has already arrived and been checked. */
  replaceBody(body: Uint8Array<ArrayBuffer> | ArrayBuffer): void {
    const { method, headers, url } = this.request;
    this.#request = new Request(url, { method, headers, body });
  }

  get apiVersion(): string {
    return this.version.version.version;
  }

  get method(): string {
    return this.arrived.method;
  }

  get path(): string {
    return pathOf(this.#url) ?? "";
  }

  get query(): string {
    return queryOf(this.#url);
  }

  get #url(): string {
    const { url } = this.arrived;
    return url.startsWith("/") ? `http://localhost${url}` : url;
  }

  get errorNumber(): number | undefined {
    return this.error === undefined ? undefined : errorNumber(this.error);
  }

  get message(): string | undefined {
    if (this.error === undefined) return undefined;
    return this.error instanceof Failure ? this.error.message : "The service failed";
  }

  get isApi(): boolean {
    return this.mount === undefined;
  }

  get bytesIn(): number | undefined {
    const length = this.arrived.headers.get("content-length");
    return length === null ? undefined : Number(length);
  }

  get trace(): TraceParent | undefined {
    return traceOf(this.arrived);
  }

  /** Computed on first use. */
  get span(): RequestSpan | undefined {
    const { sampler } = this.service;
    if (!sampler) return undefined;
    this.#sampled ??= { span: sampler(this.trace) };
    return this.#sampled.span;
  }

  get token(): Token | undefined {
    if (this.cachedToken || this.error === undefined || !this.isApi) return this.cachedToken?.token;
    return this.service.tokens.lastSeen(this.arrived.headers.get("authorization") ?? "");
  }

  get account(): AccountNumber | undefined {
    return this.token?.account ?? this.sessionAccount;
  }

  get isTimed(): boolean {
    return this.route !== "bulk" && !this.waitsForEvents;
  }

  get client(): ClientInfo {
    this.#client ??= { ...this.service.clientInfoOf(this.arrived), requestId: this.id };
    return this.#client;
  }

  get address(): string {
    return this.client.address;
  }

  get userAgent(): string {
    return this.arrived.headers.get("user-agent") ?? "";
  }
}
