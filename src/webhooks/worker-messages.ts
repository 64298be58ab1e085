import type { EndpointProgress } from "#storage/webhook-progress.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { EventCause } from "./event-causes.ts";
import type { HeldEndpoint } from "./held-endpoint.ts";

export interface WorkerSettings {
  readonly databaseUrl: string;
  readonly networks: readonly string[];
  readonly proxy: string | undefined;
  /** The fraction of deliveries without a known cause that is traced; undefined if no spans are made. */
  readonly traceRatio: number | undefined;
}

/** Messages from the serving thread to the delivery thread. */
export type ToWorker =
  | ({ readonly kind: "start" } & WorkerSettings)
  | { readonly kind: "hold"; readonly endpoints: readonly HeldEndpoint[] }
  | { readonly kind: "drop"; readonly ids: readonly string[] }
  | { readonly kind: "wake"; readonly until: bigint; readonly causes: readonly EventCause[] }
  | { readonly kind: "settled"; readonly changed: readonly string[] }
  /** The last progress could not be written, so it is handed over again. */
  | { readonly kind: "unsettled" }
  | { readonly kind: "send"; readonly number: number; readonly outgoing: Outgoing }
  | { readonly kind: "close" };

export type FromWorker =
  | { readonly kind: "progress"; readonly progress: readonly EndpointProgress[] }
  | { readonly kind: "sent"; readonly number: number; readonly result: AttemptResult }
  | { readonly kind: "failed"; readonly error: string }
  | { readonly kind: "closed" };
