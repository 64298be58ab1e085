import type { EventType } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EndedRequest, RequestSink } from "#core/request.ts";
import type { TraceParent } from "#core/trace.ts";

/** The causes held until they are handed over; beyond that the trace is lost. */
const WAITING_MAX = 4096;

/** A request that caused an event, with the fields that both have in common. */
export interface EventCause {
  readonly account: AccountNumber;
  readonly type: EventType;
  readonly plantId: bigint;
  /** For a change, since one plant may be changed many times. */
  readonly updatedAt: number | undefined;
  readonly trace: TraceParent;
}

/**
 * Records the traced requests that caused events of accounts to which this node delivers. Imports are left out, since
 * their events are delivered while they are still running. All other requests cost a look at their account.
 */
export class EventCauses implements RequestSink {
  accounts: ReadonlySet<AccountNumber> = new Set();
  #waiting: EventCause[] = [];

  requestEnded(request: EndedRequest): void {
    const { account } = request;
    if (this.accounts.size === 0 || account === undefined || !this.accounts.has(account)) return;
    const type = eventTypeOf(request);
    const { plantId, plantUpdatedAt: updatedAt } = request;
    if (type === undefined || plantId === undefined || this.#waiting.length >= WAITING_MAX) return;
    const trace = request.span ?? request.trace;
    if (!trace) return;
    const { traceId, spanId, isSampled } = trace;
    this.#waiting.push({ account, type, plantId, updatedAt, trace: { traceId, spanId, isSampled } });
  }

  /** The causes recorded since the last call. */
  take(): EventCause[] {
    const causes = this.#waiting;
    this.#waiting = [];
    return causes;
  }
}

function eventTypeOf({ route, outcome, errorNumber }: EndedRequest): EventType | undefined {
  if (outcome === "created") return "plant.created";
  if (errorNumber !== undefined) return undefined;
  return route === "change" ? "plant.changed" : route === "remove" ? "plant.removed" : undefined;
}
