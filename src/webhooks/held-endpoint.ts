import type { Shape } from "#contract/v1/shape.ts";
import { signedHeaders } from "#contract/webhook-signature.ts";
import type { EventStore, EventType } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { WebhookDeliveryMode } from "#core/webhook.ts";
import type { EndpointProgress } from "#storage/webhook-progress.ts";
import type { WebhookWork } from "#storage/webhook-work.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";
import type { HealthState } from "./endpoint-health.ts";

/** An endpoint that this node delivers to, with its secrets opened. */
export interface HeldEndpoint extends HealthState {
  readonly id: string;
  readonly account: AccountNumber;
  readonly url: string;
  readonly types: ReadonlySet<EventType> | undefined;
  readonly delivery: WebhookDeliveryMode;
  /** The version of the interface that gives its events their shape. */
  readonly version: string;
  readonly position: bigint;
  readonly revision: number;
  readonly secrets: readonly { readonly secret: string; readonly expiresAt: number | undefined }[];
}

/** The services that delivery depends on. */
export interface DeliveryParts {
  readonly events: Pick<EventStore, "read" | "find" | "oldest">;
  readonly work: Pick<WebhookWork, "retries" | "countRetries" | "lastSequence" | "replays">;
  readonly traces: Pick<DeliveryTraces, "ofEvent" | "ofUnknown">;
  /** The functions that render events in a known version. */
  shapeOf(version: string): Pick<Shape, "webhookEventBody" | "noticeBody">;
  send(outgoing: Outgoing): Promise<AttemptResult>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  /** Calls `act` at that time or soon after. The returned function cancels the call. */
  at(time: number, act: () => void): () => void;
  failed(error: unknown): void;
}

/** Delivers to one endpoint. */
export interface EndpointQueue {
  readonly endpoint: HeldEndpoint;
  /**
   * Takes over changes. Returns false if the endpoint has to be started anew, because it was enabled or its position
   * was moved.
   */
  update(endpoint: HeldEndpoint): boolean;
  /** There may be events up to this number. */
  wake(until: bigint): void;
  /** The progress since the last call; undefined if there is none. */
  takeProgress(): EndpointProgress | undefined;
  /** The last progress taken is on disk. With `again` its state was not written and must be handed over again. */
  settled(again: boolean): void;
  close(): void;
}

export interface OutgoingEvent {
  readonly id: string;
  readonly body: string;
  readonly now: number;
  /** The value of the header; undefined to omit it. */
  readonly traceparent: string | undefined;
}

/** A request in its final form, signed with every valid secret. */
export function outgoing(
  { url, secrets }: Pick<HeldEndpoint, "url" | "secrets">,
  { id, body, now, traceparent }: OutgoingEvent,
): Outgoing {
  const good = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > now);
  const signed = { id, timestamp: Math.floor(now / 1000), body };
  return {
    url,
    body,
    headers: {
      ...signedHeaders(
        good.map(({ secret }) => secret),
        signed,
      ),
      ...(traceparent === undefined ? {} : { traceparent }),
    },
  };
}
