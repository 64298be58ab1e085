import type { EventPage, EventQuery } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Storage } from "#storage/storage.ts";

/** A page of the feed, by default from the first event to the last that is committed. */
export async function readFeed(
  { records, reads }: Pick<Storage, "records" | "reads">,
  account: AccountNumber,
  query: Partial<EventQuery> = {},
): Promise<EventPage> {
  const until = query.until ?? (await records.events.latest());
  return reads.events.read(account, { after: 0n, limit: 100, types: undefined, ...query, until });
}
