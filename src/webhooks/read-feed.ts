import type { EventPage } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { DeliveryParts, HeldEndpoint } from "./held-endpoint.ts";

export interface FeedRange {
  readonly after: bigint;
  readonly until: bigint;
  readonly limit: number;
  readonly types: HeldEndpoint["types"];
}

/**
 * Events of the endpoint's account. If the feed no longer reaches back to `after`, reading continues from its oldest
 * event.
 */
export async function readFeed(
  { events }: Pick<DeliveryParts, "events">,
  { account }: Pick<HeldEndpoint, "account">,
  range: FeedRange,
): Promise<EventPage> {
  try {
    return await events.read(account, range);
  } catch (error) {
    if (!(error instanceof Failure && error.code === "cursor-expired")) throw error;
    const oldest = await events.oldest();
    return { events: [], next: oldest, more: oldest < range.until };
  }
}
