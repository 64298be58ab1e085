import type { EventType, PlantEvent } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EndedRequest, RequestSink } from "#core/request.ts";
import { type AttemptSpan, newSpanId, newTraceId, type TraceParent, traceParentText } from "#core/trace.ts";

/** The causes held until they are handed over; beyond that the trace is lost. */
const WAITING_MAX = 4096;

/** A request that caused an event, with the fields that both have in common. */
export interface EventCause {
  readonly account: AccountNumber;
  readonly type: EventType;
  readonly plantId: bigint;
  /** Tells the changes of one plant apart; undefined for a create. */
  readonly updatedAt: number | undefined;
  readonly trace: TraceParent;
}

/**
 * Records the traced requests that caused events of accounts to which this node delivers. Imports are left out, since
 * their events are delivered while they are still running. All other requests cost a look at their account.
 */
export class EventCauses implements RequestSink {
  /** Those to which this node delivers, or may soon. */
  readonly accounts = new Set<AccountNumber>();
  #waiting: EventCause[] = [];

  requestEnded(request: EndedRequest): void {
    const { account } = request;
    if (account === undefined || !this.accounts.has(account)) return;
    const type = eventTypeOf(request);
    const { plantId, plantUpdatedAt: updatedAt } = request;
    if (type === undefined || plantId === undefined || this.#waiting.length >= WAITING_MAX) return;
    const trace = request.span ?? request.trace;
    if (!trace) return;
    const { traceId, spanId, isSampled } = trace;
    this.#waiting.push({ account, type, plantId, updatedAt, trace: { traceId, spanId, isSampled } });
  }

  /** The causes recorded since the last call. */
  drain(): EventCause[] {
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

/** The newest causes that are held: an event whose cause is unknown is delivered without its trace. */
const CAUSES_MAX = 10_000;

export interface AttemptTrace {
  /** The value of the header `traceparent`; undefined if the request is sent without one. */
  readonly traceparent: string | undefined;
  readonly span: AttemptSpan | undefined;
}

const UNTRACED: AttemptTrace = { traceparent: undefined, span: undefined };

/** Decides the trace of an attempt to deliver: that of the request that caused the event, if it is known. */
export class DeliveryTraces {
  /** Oldest first. */
  readonly #causes = new Map<string, TraceParent>();

  /** `ratio` is the fraction of attempts without a known cause that is traced; undefined if no spans are made. */
  constructor(private readonly ratio: number | undefined) {}

  remember(causes: readonly EventCause[]): void {
    for (const { account, type, plantId, updatedAt, trace } of causes) {
      const key = keyOf(account, type, plantId, updatedAt);
      this.#causes.delete(key);
      this.#causes.set(key, trace);
    }
    const tooMany = this.#causes.size - CAUSES_MAX;
    for (const key of [...this.#causes.keys()].slice(0, Math.max(0, tooMany))) this.#causes.delete(key);
  }

  ofEvent(account: AccountNumber, { type, plant }: PlantEvent): AttemptTrace {
    if (this.#causes.size === 0) return this.ofUnknown();
    const updatedAt = type === "plant.changed" ? plant.updatedAt : undefined;
    const cause = this.#causes.get(keyOf(account, type, plant.id, updatedAt));
    if (!cause) return this.ofUnknown();
    // An attempt without a span of its own passes the caller's span on unchanged.
    if (this.ratio === undefined || !cause.isSampled) return { traceparent: traceParentText(cause), span: undefined };
    return traced({ traceId: cause.traceId, spanId: newSpanId(crypto.randomUUID()), parentSpanId: cause.spanId });
  }

  /** The trace of an attempt that no single request caused. */
  ofUnknown(): AttemptTrace {
    if (this.ratio === undefined || Math.random() >= this.ratio) return UNTRACED;
    const [traceId, spanId] = [newTraceId(crypto.randomUUID()), newSpanId(crypto.randomUUID())];
    return traced({ traceId, spanId, parentSpanId: undefined });
  }
}

function traced(span: AttemptSpan): AttemptTrace {
  return { traceparent: traceParentText({ ...span, isSampled: true }), span };
}

function keyOf(account: AccountNumber, type: EventType, plantId: bigint, updatedAt: number | undefined): string {
  return `${account}:${type}:${plantId}:${updatedAt ?? ""}`;
}
