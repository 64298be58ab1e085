import type { Context } from "hono";
import { BULK_TYPES, type BulkType } from "#contract/bulk-type.ts";
import type { AuditEntry } from "#core/audit.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Slots } from "#load/slots.ts";
import type { Env } from "../env.ts";
import { eventsCursor } from "../events-cursor.ts";
import { ExportCut, exportStream, SILENCE_S_MAX } from "../export-stream.ts";
import { permit } from "../permit.ts";
import { chooseRepresentation } from "../representation.ts";
import type { RequestContext } from "../request-context.ts";
import type { Service } from "../service.ts";
import { tokenSource } from "../token-source.ts";

const CONTENT: Readonly<Record<BulkType, { readonly type: string; readonly name: string }>> = {
  "application/x-ndjson": { type: "application/x-ndjson", name: "plants.ndjson" },
  "text/csv": { type: "text/csv; charset=utf-8; header=present", name: "plants.csv" },
};

interface Export {
  readonly account: AccountNumber;
  readonly type: BulkType;
  readonly running: Slots;
}

/** `GET /plants/export`: an export at an address of its own, as NDJSON unless `Accept` prefers CSV. */
export async function getExport(service: Service, c: Context<Env>, running: Slots): Promise<Response> {
  const { token } = await permit(service, c, "plants:read");
  const type = chooseRepresentation(c.req.header("accept"), BULK_TYPES);
  return exportPlants(service, c, { account: token.account, type, running });
}

/** Sends every plant of the account, from one snapshot. */
export async function exportPlants(
  service: Service,
  c: Context<Env>,
  { account, type, running }: Export,
): Promise<Response> {
  const headers = {
    "Content-Type": CONTENT[type].type,
    "Content-Disposition": `attachment; filename="${CONTENT[type].name}"`,
    "Cache-Control": "private, no-cache",
    Vary: "Accept",
  };
  const { context } = c.env;
  context.route = "export";
  if (context.method === "HEAD") return new Response(new ReadableStream(), { headers });
  const entry = { ...(await tokenSource(context)), account, action: "export.made", detail: { type } } as const;
  await service.store.audit.requireRoom(entry);
  context.server.timeout(context.arrived, SILENCE_S_MAX);
  const end = running.take(account);
  const onEnd = (error?: unknown) => {
    end();
    const request = { request_id: context.id };
    if (error instanceof ExportCut) service.log.warn({ ...request, reason: error.message }, "export cut");
    else if (error) service.log.error({ ...request, err: error }, "export broke off");
  };
  try {
    const cursor = await eventsCursor(service);
    const { shape, version } = context.version;
    const asked = { account, version: version.version, type };
    // The number of exports is bounded already.
    const pages = service.reads.open(account, "exportPages", asked, true);
    const watch = (cut: (reason: string) => void) => service.store.watchSnapshot(cut);
    const body = await exportStream(pages, { head: shape.exports[type].head, watch, onEnd });
    enterInAudit(service, context, entry);
    return c.body(body, 200, { ...headers, ...cursor });
  } catch (error) {
    end();
    throw error;
  }
}

/** Not awaited: a full disk or a held lock must not keep the holder from their plants. */
function enterInAudit({ store, log }: Service, context: RequestContext, entry: AuditEntry): void {
  store.audit
    .add(entry)
    .catch((err) => log.error({ request_id: context.id, err }, "an export is not in the audit log"));
}
