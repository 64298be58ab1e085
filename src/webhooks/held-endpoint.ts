import type { Shape } from "#contract/v1/shape.ts";
import { signedHeaders } from "#contract/webhook-signature.ts";
import type { EventPage, EventQuery, EventRecords } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads } from "#core/reads.ts";
import type { StoredEndpoint, WebhookWork } from "#storage/webhook-work.ts";
import type { AttemptResult, Outgoing } from "./attempt.ts";
import type { DeliveryTraces } from "./delivery-traces.ts";
import type { OpenedSecret } from "./sealed-secret.ts";

/** An endpoint that this node delivers to, with its secrets opened. */
export interface HeldEndpoint
  extends Omit<StoredEndpoint, "secrets" | "sealedSecrets" | "description" | "createdAt" | "updatedAt"> {
  readonly secrets: readonly OpenedSecret[];
}

/** The services that delivery depends on. */
export interface DeliveryParts {
  readonly events: Pick<EventRecords, "find"> & Pick<EventReads, "read" | "oldest">;
  readonly work: Pick<WebhookWork, "retries" | "countRetries" | "lastSequence" | "replays">;
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

/** Events of the endpoint's account. If the feed no longer reaches back to `after`, it is read from its oldest. */
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

/** A request in its final form, signed with every secret that is valid `at` that time. */
export function outgoing(
  { url, secrets }: Pick<HeldEndpoint, "url" | "secrets">,
  event: { readonly id: string; readonly body: string; readonly at: number; readonly traceparent: string | undefined },
): Outgoing {
  const { id, body, at, traceparent } = event;
  const valid = secrets.filter(({ expiresAt }) => expiresAt === undefined || expiresAt > at);
  const keys = valid.map(({ secret }) => secret);
  const headers = signedHeaders(keys, { id, timestamp: Math.floor(at / 1000), body });
  return { url, body, headers: traceparent === undefined ? headers : { ...headers, traceparent } };
}
