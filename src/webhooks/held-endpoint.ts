import type { Shape } from "#contract/v1/shape.ts";
import { signedHeaders } from "#contract/webhook-signature.ts";
import type { EventPage, EventQuery, EventStore } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import type { StoredEndpoint, WebhookWork } from "#storage/webhook-work.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";
import type { OpenedSecret } from "./sealed-secret.ts";

type Unneeded = "secrets" | "sealedSecrets" | "description" | "createdAt" | "updatedAt";

/** An endpoint that this node delivers to, with its secrets opened. */
export interface HeldEndpoint extends Omit<StoredEndpoint, Unneeded> {
  readonly secrets: readonly OpenedSecret[];
}

/** The services that delivery depends on. */
export interface DeliveryParts {
  readonly events: Pick<EventStore, "find"> & Pick<EventReads, "read" | "oldest">;
  readonly work: Pick<WebhookWork, "retries" | "countRetries" | "lastSequence" | "replays">;
  readonly traces: Pick<DeliveryTraces, "ofEvent" | "ofUnknown">;
  /** The functions that render events in a known version. */
  shapeOf(version: string): Pick<Shape, "webhookEventBody" | "noticeBody">;
  /**
   * Runs the task when the account may have another request under way. Resolves with false if too many of its tasks wait
   * already.
   */
  turn(account: AccountNumber, task: () => Promise<void>): Promise<boolean>;
  send(outgoing: Outgoing): Promise<AttemptResult>;
  /** Milliseconds since 1970. */
  now(): number;
  /** A number from 0 to 1. */
  random(): number;
  /** Calls `act` at that time or soon after. The returned function cancels the call. */
  at(time: number, act: () => void): () => void;
  failed(error: unknown): void;
}

/**
 * Events of the endpoint's account. If the feed no longer reaches back to `after`, reading continues from its oldest
 * event.
 */
export async function readFeed(
  { events }: Pick<DeliveryParts, "events">,
  { account }: Pick<HeldEndpoint, "account">,
  range: EventQuery,
): Promise<EventPage> {
  try {
    return await events.read(account, range);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "cursor-expired")) throw error;
    const oldest = await events.oldest();
    return { events: [], next: oldest, more: oldest < range.until };
  }
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
  const signature = signedHeaders(
    good.map(({ secret }) => secret),
    signed,
  );
  return { url, body, headers: traceparent === undefined ? signature : { ...signature, traceparent } };
}
