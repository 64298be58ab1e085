import { Failure, type FailureCode } from "#core/failure.ts";
import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EndedRequest, RequestSink } from "#core/request.ts";
import type { LoggedRequest, RequestLogStore } from "#core/request-log.ts";
import { type AddressDetail, excerptOf, loggedAddress, loggedPath, masked } from "./masked.ts";

/** The limit for one account in one second; further refusals are counted. */
const REFUSALS_MAX = 200;
/** The limit of requests that wait for the store; further ones are lost and counted. */
const WAITING_MAX = 65_536;
const WRITE_EVERY_MS = 1000;
const AGENT_LENGTH_MAX = 200;
/** Refusals that the beginning of the body helps to explain. */
const SHOWN_BY_BODY: ReadonlySet<FailureCode> = new Set([
  "body-not-json",
  "body-not-a-plant",
  "member-invalid",
  "address-malformed",
  "id-taken",
]);

export interface RequestLogOptions {
  readonly store: RequestLogStore;
  readonly observer: Observer;
  /** The number of successes of one account that are stored in a second. */
  readonly successesMax: number;
  readonly bodies: boolean;
  readonly addresses: AddressDetail;
}

type Kept = { -readonly [Member in keyof LoggedRequest]: LoggedRequest[Member] };

/** The requests of one account in the current second. */
interface Second {
  second: number;
  successes: number;
  refusals: number;
  kept: Kept[];
}

/**
 * Collects the requests of accounts that are worth storing: every refusal, and the first successes of each second with
 * their total number. A success that is not stored costs a look at its account's second.
 */
export class RequestLog implements RequestSink {
  readonly #options: RequestLogOptions;
  readonly #seconds = new Map<AccountNumber, Second>();
  #waiting: LoggedRequest[] = [];
  #dropped = 0;

  constructor(options: RequestLogOptions) {
    this.#options = options;
  }

  /** The number of requests that were lost because the store refused them or too many waited. */
  get dropped(): number {
    return this.#dropped;
  }

  requestEnded(request: EndedRequest): void {
    const { account, errorNumber, endedAt } = request;
    if (account === undefined) return;
    const state = this.#secondOf(account, Math.floor(endedAt / 1000));
    const isKept =
      errorNumber === undefined
        ? request.isApi && ++state.successes <= this.#options.successesMax
        : ++state.refusals <= REFUSALS_MAX;
    if (isKept) state.kept.push(this.#entry(account, request));
  }

  /** Writes the rest of the last second, and continues with the next. */
  readonly job: Job = {
    name: "request-log",
    intervalMs: WRITE_EVERY_MS,
    run: async () => {
      await this.#write(Math.floor(performance.now() / 1000));
      return undefined;
    },
    finish: () => this.#write(Number.POSITIVE_INFINITY),
  };

  #secondOf(account: AccountNumber, second: number): Second {
    const state = this.#seconds.get(account);
    if (state?.second === second) return state;
    if (state) this.#close(state);
    const next = { second, successes: 0, refusals: 0, kept: [] };
    this.#seconds.set(account, next);
    return next;
  }

  #close({ kept, successes, refusals }: Second): void {
    for (const entry of kept) {
      const total = entry.error === undefined ? successes : refusals;
      const max = entry.error === undefined ? this.#options.successesMax : REFUSALS_MAX;
      if (total > max) entry.sampledOf = total;
      if (this.#waiting.length < WAITING_MAX) this.#waiting.push(entry);
      else this.#dropped++;
    }
  }

  async #write(second: number): Promise<void> {
    for (const [account, state] of this.#seconds) {
      if (state.second >= second) continue;
      this.#close(state);
      this.#seconds.delete(account);
    }
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      await this.#options.store.add(batch);
    } catch (error) {
      this.#dropped += batch.length;
      this.#options.observer.failed("request-log", error);
    }
  }

  #entry(account: AccountNumber, request: EndedRequest): Kept {
    const { token, errorNumber, plantId, outcome, message, span, trace, bytesIn } = request;
    const agent = request.userAgent.slice(0, AGENT_LENGTH_MAX);
    return {
      account,
      requestId: request.id,
      at: Date.now() - Math.round(request.durationMs),
      method: request.method,
      path: loggedPath(request.path, request.query),
      status: request.status,
      error: errorNumber,
      ms: Math.round(request.durationMs * 10) / 10,
      token: token && { id: token.id, name: token.name },
      address: loggedAddress(request.address, this.#options.addresses),
      agent: agent === "" ? undefined : masked(agent),
      bytesIn,
      message: message === undefined ? undefined : masked(message),
      plantId: plantId?.toString(),
      replayed: outcome === "unchanged" || undefined,
      traceId: (span ?? trace)?.traceId,
      excerpt: this.#excerpt(request),
    };
  }

  #excerpt({ error, bodyText }: EndedRequest): string | undefined {
    if (!this.#options.bodies || bodyText === undefined) return undefined;
    return error instanceof Failure && SHOWN_BY_BODY.has(error.code) ? excerptOf(bodyText) : undefined;
  }
}
