import type { Job } from "#core/job.ts";
import type { Observer } from "#core/observer.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EndedRequest, RequestSink } from "#core/request.ts";
import type { LoggedRequest, RequestLogRecords } from "#core/request-log.ts";
import { ALL, DECISION } from "#load/limit-groups.ts";
import { LimitGroup } from "#load/limit-row.ts";
import { isOfDashboard, type LoggedParts, loggedRequest } from "./logged-request.ts";

const LOGGED = new LimitGroup("request and security log", "plantstore_request_log_dropped_total", "counted", DECISION);
export const LOGGED_SUCCESSES = LOGGED.row("logged successes", "account", { max: 10, windowSeconds: 1 });
const LOGGED_REFUSALS = LOGGED.row("logged refusals", "account", { max: 200, windowSeconds: 1 });
const LOGGED_WAITING = LOGGED.row("requests that wait to be logged", ALL, { all: 65_536 });

export interface RequestLogOptions extends LoggedParts {
  readonly records: RequestLogRecords;
  readonly observer: Observer;
  readonly bytesMax: number;
}

type Kept = LoggedRequest & { sampledOf?: number };

/** The requests of one account in the current second; those of its dashboard have a second of their own. */
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
  readonly #seconds = { api: new Map<AccountNumber, Second>(), dashboard: new Map<AccountNumber, Second>() };
  #waiting: LoggedRequest[] = [];
  /** The number of requests that were lost because the store refused them or too many waited. */
  dropped = 0;

  constructor(private readonly options: RequestLogOptions) {}

  requestEnded(request: EndedRequest): void {
    const { account, errorNumber, endedAt } = request;
    if (account === undefined) return;
    const seconds = this.#seconds[isOfDashboard(request) ? "dashboard" : "api"];
    const state = this.#secondOf(seconds, account, Math.floor(endedAt / 1000));
    const isKept =
      errorNumber === undefined
        ? request.isApi && ++state.successes <= LOGGED_SUCCESSES.max
        : ++state.refusals <= LOGGED_REFUSALS.max;
    if (isKept) state.kept.push(loggedRequest(account, request, this.options));
  }

  /** Writes the rest of the last second, and continues with the next. */
  readonly job: Job = {
    name: "request-log",
    intervalMs: 1000,
    run: () => this.#write(Math.floor(performance.now() / 1000)),
    finish: () => this.#write(Number.POSITIVE_INFINITY),
  };

  #secondOf(seconds: Map<AccountNumber, Second>, account: AccountNumber, second: number): Second {
    const state = seconds.get(account);
    if (state?.second === second) return state;
    if (state) this.#close(state);
    const next = { second, successes: 0, refusals: 0, kept: [] };
    seconds.set(account, next);
    return next;
  }

  #close({ kept, successes, refusals }: Second): void {
    for (const entry of kept) {
      const total = entry.error === undefined ? successes : refusals;
      const max = entry.error === undefined ? LOGGED_SUCCESSES.max : LOGGED_REFUSALS.max;
      if (total > max) entry.sampledOf = total;
      if (this.#waiting.length < LOGGED_WAITING.all) this.#waiting.push(entry);
      else this.dropped++;
    }
  }

  async #write(second: number): Promise<void> {
    for (const seconds of Object.values(this.#seconds)) {
      for (const [account, state] of seconds) {
        if (state.second >= second) continue;
        this.#close(state);
        seconds.delete(account);
      }
    }
    if (this.#waiting.length === 0) return;
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      await this.options.records.add(batch, this.options.bytesMax);
    } catch (error) {
      this.dropped += batch.length;
      this.options.observer.failed("request-log", error);
    }
  }
}
