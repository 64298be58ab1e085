import { eventNumber, isEventType } from "#core/event.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import { DELIVERIES_KEPT_MAX, type WebhookReplay } from "#core/webhook.ts";

const WHOLE_LOG = {
  status: undefined,
  type: undefined,
  event: undefined,
  before: undefined,
  limit: DELIVERIES_KEPT_MAX,
};

/**
 * The numbers of the events to deliver again: those that are named, or those in the log that failed for good. Throws
 * "not-found" if one that is named is no longer kept.
 */
export async function replayedEvents(
  { events, webhooks }: Pick<Reads, "events" | "webhooks">,
  {
    account,
    endpoint,
    replay,
  }: { readonly account: AccountNumber; readonly endpoint: string; readonly replay: WebhookReplay },
): Promise<readonly bigint[]> {
  if ("events" in replay) {
    if (await events.has(account, replay.events)) return replay.events;
    throw new Failure("not-found", "One of the events is unknown, or no longer kept");
  }
  const { deliveries } = await webhooks.deliveries(endpoint, WHOLE_LOG);
  const succeeded = new Set(deliveries.filter(({ status }) => status !== "failed").map(({ event }) => event));
  const { from, to, types } = replay;
  const failed = new Set<bigint>();
  for (const { event, type } of deliveries) {
    if (succeeded.has(event) || (types && !(isEventType(type) && types.has(type)))) continue;
    const number = eventNumber(event);
    if (number !== undefined && number > from && (to === undefined || number <= to)) failed.add(number);
  }
  return [...failed];
}
