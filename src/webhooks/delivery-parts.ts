import type { Shape } from "#contract/v1/shape.ts";
import type { EventRecords } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import type { OpenedSecret } from "#storage/sealed-secret.ts";
import type { StoredEndpoint } from "#storage/webhook-leases.ts";
import type { WebhookProgress } from "#storage/webhook-progress.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";

/** An endpoint that this node delivers to, with its secrets opened. */
export interface HeldEndpoint
  extends Omit<StoredEndpoint, "secrets" | "sealedSecrets" | "description" | "nextAt" | "createdAt" | "updatedAt"> {
  readonly secrets: readonly OpenedSecret[];
}

/** The services that delivery depends on. */
export interface DeliveryParts {
  readonly events: Pick<EventRecords, "find"> & Pick<EventReads, "read" | "oldest">;
  readonly progress: Pick<WebhookProgress, "waiting" | "lastSequence">;
  readonly traces: Pick<DeliveryTraces, "ofEvent" | "ofUnknown">;
  /** The functions that render events in a known version. */
  shapeOf(version: string): Pick<Shape, "webhookEventBody" | "noticeBody">;
  /** Runs the task when the account may have another request under way. Rejects if too many of its tasks wait already. */
  turn(account: AccountNumber, task: () => Promise<void>): Promise<void>;
  send(outgoing: Outgoing): Promise<AttemptResult>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  /** Calls `act` at that time or soon after. The returned function cancels the call. */
  at(time: number, act: () => void): () => void;
  failed(error: unknown): void;
}
