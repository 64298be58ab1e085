import { BULK_TYPES, type BulkType } from "#contract/bulk-type.ts";
import { encodeEventCursor } from "#contract/event-cursor.ts";
import type { Records } from "#core/records.ts";
import { type Token, userOf } from "#core/token.ts";
import type { Slots } from "#load/slots.ts";
import { callerBy } from "../callers.ts";
import { ExportCut, exportStream, SILENCE_S_MAX } from "../export-stream.ts";
import { UncountedAnswer } from "../large-answer.ts";
import { chooseRepresentation } from "../negotiation.ts";
import type { RequestContext } from "../request-context.ts";
import type { ServiceParts } from "../service-parts.ts";
import { WATCHED_FRESH_MS } from "../token-cache.ts";

const CONTENT: Readonly<Record<BulkType, { readonly type: string; readonly name: string }>> = {
  "application/x-ndjson": { type: "application/x-ndjson", name: "plants.ndjson" },
  "text/csv": { type: "text/csv; charset=utf-8; header=present", name: "plants.csv" },
};

/** Sends every plant of the account, from one snapshot: as NDJSON unless `Accept` prefers CSV. */
export async function exportPlants(
  context: RequestContext,
  token: Token,
  running: Slots,
  type: BulkType = chooseRepresentation(context.raw.headers.get("accept"), BULK_TYPES),
): Promise<Response> {
  const { service, apiVersion: version, id } = context;
  const { account } = token;
  context.report.route = "export";
  const headers = {
    "Content-Type": CONTENT[type].type,
    "Content-Disposition": `attachment; filename="${CONTENT[type].name}"`,
    "Cache-Control": "private, no-cache",
    Vary: "Accept",
    ...(await eventsCursor(service)),
  };
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  const entry = { ...(await callerBy(context, token)), action: "export.made", detail: { type } } as const;
  await service.records.audit.requireRoom(entry);
  context.server.timeout(context.raw, SILENCE_S_MAX);
  // Nothing is awaited until the watch has set it.
  let cutNow = (_: string) => {};
  const end = running.take(context.subject, 1, () => cutNow("an account that had none needed its place"));
  const onEnd = (error?: unknown) => {
    end();
    if (error instanceof ExportCut) service.log.warn({ request_id: id, reason: error.message }, "export cut");
    else if (error) service.log.error({ request_id: id, err: error }, "export broke off");
  };
  try {
    // The number of exports is bounded already.
    const pages = service.reads.open(context.subject, "exportPages", { account, version, type }, true);
    const watch = (cut: (reason: string) => void) => {
      cutNow = cut;
      const watches = [service.records.watchSnapshot(cut), watchMembership(service.records, token, cut)];
      return () => {
        for (const end of watches) end();
      };
    };
    const body = await exportStream(pages, { head: context.version.shape.exports[type].head, watch, onEnd });
    // Not awaited: a full disk or a held lock must not keep the holder from their plants.
    service.records.audit
      .add(entry)
      .catch((err) => service.log.error({ request_id: id, err }, "an export is not in the audit log"));
    return new UncountedAnswer(body, { headers });
  } catch (error) {
    end();
    throw error;
  }
}

/** Cuts the export of a page within a second after its person was removed from the store; every role may read plants. */
function watchMembership(
  { members }: Pick<Records, "members">,
  token: Token,
  cut: (reason: string) => void,
): () => void {
  const { account, person } = userOf(token);
  if (person === undefined) return () => {};
  const timer = setInterval(async () => {
    // If the store is out of reach, the export breaks off by itself.
    const people = await members.list(account).catch(() => undefined);
    if (people?.every(({ id }) => id !== person)) cut("whoever asked for it was removed from the store");
  }, WATCHED_FRESH_MS);
  return () => clearInterval(timer);
}

/**
 * The header of lists and exports with the cursor from which the feed continues after them. Call it before the snapshot
 * is taken, since its position must not be after the snapshot.
 */
export async function eventsCursor(
  service: Pick<ServiceParts, "records" | "eventFeed">,
): Promise<Record<string, string>> {
  return service.eventFeed ? { "Events-Cursor": encodeEventCursor(await service.records.events.recent()) } : {};
}
