import { BULK_TYPES, type BulkType } from "#contract/bulk-type.ts";
import { encodeEventCursor } from "#contract/event-cursor.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import { type ApiCaller, WATCHED_FRESH_MS } from "#core/caller.ts";
import type { Slots } from "#load/slots.ts";
import { namedInLog } from "../callers.ts";
import { ExportCut, exportStream, SILENCE_S_MAX } from "../export-stream.ts";
import { endOf } from "../import-watch.ts";
import { UncountedAnswer } from "../large-answer.ts";
import { chooseRepresentation } from "../negotiation.ts";
import type { RequestContext } from "../request-context.ts";
import type { ServiceParts } from "../service-parts.ts";

const CONTENT: Readonly<Record<BulkType, { readonly type: string; readonly name: string }>> = {
  "application/x-ndjson": { type: "application/x-ndjson", name: "plants.ndjson" },
  "text/csv": { type: "text/csv; charset=utf-8; header=present", name: "plants.csv" },
};

/** Sends every plant of the account, from one snapshot: as NDJSON unless `Accept` prefers CSV. */
export async function exportPlants(
  context: RequestContext,
  caller: ApiCaller,
  running: Slots,
  type: BulkType = chooseRepresentation(context.raw.headers.get("accept"), BULK_TYPES),
): Promise<Response> {
  const { service, id } = context;
  const { account } = caller;
  context.report.route = "export";
  const headers = {
    "Content-Type": CONTENT[type].type,
    "Content-Disposition": `attachment; filename="${CONTENT[type].name}"`,
    "Cache-Control": "private, no-cache",
    Vary: "Accept",
    ...(await eventsCursor(service)),
  };
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  const entry = { ...namedInLog(caller, context), action: "export.made", detail: { type } } as const;
  await service.records.audit.requireRoom(entry);
  context.server.timeout(context.raw, SILENCE_S_MAX);
  // The watch sets it before the first await.
  let cutNow = (_: string) => {};
  const end = running.acquire(context.subject, 1, () => cutNow("an account that had none needed its place"));
  const onEnd = (error?: unknown) => {
    end();
    if (error instanceof ExportCut) service.log.warn({ request_id: id, reason: error.message }, "export cut");
    else if (error) service.log.error({ request_id: id, err: error }, "export broke off");
  };
  try {
    // The number of exports is bounded already.
    const pages = service.reads.open(context.subject, "exportPages", { account, type }, true);
    const watch = (cut: (reason: string) => void) => {
      cutNow = cut;
      const watches = [service.records.watchSnapshot(cut), watchCaller(caller, cut)];
      return () => {
        for (const end of watches) end();
      };
    };
    const body = await exportStream(pages, { head: SHAPE_1.exports[type].head, watch, onEnd });
    // No await: a full disk or a held lock must not keep the holder from their plants.
    service.records.audit
      .add(entry)
      .catch((err) => service.log.error({ request_id: id, err }, "an export is not in the audit log"));
    return new UncountedAnswer(body, { headers });
  } catch (error) {
    end();
    throw error;
  }
}

/** Cuts the export within a second after its caller may read no more. */
function watchCaller(caller: ApiCaller, cut: (reason: string) => void): () => void {
  const timer = setInterval(async () => {
    // If the database is out of reach, the export breaks off by itself.
    const may = await Promise.try(() => caller.stillMay(WATCHED_FRESH_MS)).catch(() => true);
    if (!may) cut(endOf(caller));
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
