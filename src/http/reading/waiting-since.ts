import type { EventQuery } from "#core/event.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { EventReads, FeedPosition } from "#core/reads.ts";
import type { InTurns } from "./in-turns.ts";

/** The time of the first event after each position, as milliseconds since 1970; undefined where there is none. */
export async function* waitingSince(
  events: EventReads,
  account: AccountNumber,
  { positions, until }: Pick<EventQuery, "until"> & { readonly positions: readonly FeedPosition[] },
): InTurns<(number | undefined)[]> {
  const oldest = await events.oldest();
  const times: (number | undefined)[] = [];
  for (const { after, types } of positions) {
    const range = { after: after < oldest ? oldest : after, until, types, limit: 1 };
    times.push((await events.read(account, range)).events[0]?.at);
    yield;
  }
  return times;
}
