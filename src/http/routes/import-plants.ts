import type { BulkType } from "#contract/bulk-type.ts";
import type { BulkReaders } from "#contract/v1/bulk-records.ts";
import { BulkReport } from "#contract/v1/bulk-report.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { ApiCaller } from "#core/caller.ts";
import { Failure } from "#core/failure.ts";
import type { ImportCounts } from "#core/import.ts";
import { postAnswer } from "../answer.ts";
import { INLINE_PARSE, parsed } from "../body.ts";
import { BodyChunks } from "../body-chunks.ts";
import { type ActParts, createEach, type PageImport, removeEach, updateEach } from "../bulk-acts.ts";
import { type BulkAct, type BulkParts, runInBulk } from "../bulk-run.ts";
import { DRY_RUN_ID_BYTES, DRY_RUN_IDS_MAX, DryRun } from "../dry-run.ts";
import { ImportWatch } from "../import-watch.ts";
import type { RequestContext } from "../request-context.ts";

/**
 * One create for each record, or with `existing=update` one create or change. A page's import, `atOwnAddress`, is noted, to be
 * undone.
 */
export async function createPlants(
  context: RequestContext,
  caller: ApiCaller,
  type: BulkType,
  atOwnAddress: boolean,
): Promise<Response> {
  const takesImport = atOwnAddress && caller.person !== undefined;
  const { existing, import: importId, ...query } = SHAPE_1.readImportQuery(context.query, { takesImport });
  const asked = { ...query, pageImport: await pageImportOf(context, caller, importId) };
  const { readNewPlant, readPlantUpdate } = SHAPE_1.bulkReaders;
  return existing === "refuse"
    ? answerInBulk(context, caller, type, {
        ...asked,
        actOf: createEach,
        readers: readNewPlant,
        readLong: (text, line) => parsed(context, "readNewPlant", text, line, true),
      })
    : answerInBulk(context, caller, type, {
        ...asked,
        actOf: updateEach,
        readers: readPlantUpdate,
        readLong: (text, line) => parsed(context, "readPlantUpdate", text, line, true),
      });
}

/** Throws "address-malformed" for an import that the store does not have, or that is being undone. */
async function pageImportOf({ service }: RequestContext, { account }: ApiCaller, id: string | undefined) {
  if (id === undefined) return undefined;
  const { imports } = service.records;
  await imports.requireOpen(account, id);
  return { id, count: (counts: ImportCounts) => imports.count(account, id, counts) };
}

/** One removal for each record. */
export function removeInBulk(context: RequestContext, caller: ApiCaller, type: BulkType): Promise<Response> {
  return answerInBulk(context, caller, type, {
    ...SHAPE_1.readRemovalQuery(context.query),
    actOf: removeEach,
    readers: SHAPE_1.bulkReaders.readPlantRemoval,
    readLong: (text, line) => parsed(context, "readPlantRemoval", text, line, true),
  });
}

interface Asked<Given extends { readonly id: bigint }> {
  readonly errorsMax: number;
  readonly isDry: boolean;
  /** The page's import to which the plants belong. */
  readonly pageImport?: PageImport | undefined;
  readonly actOf: (parts: ActParts) => BulkAct<Given>;
  readonly readers: BulkReaders<Given>;
  readonly readLong: BulkParts<Given>["readLong"];
}

async function answerInBulk<Given extends { readonly id: bigint }>(
  context: RequestContext,
  caller: ApiCaller,
  type: BulkType,
  { errorsMax, isDry, pageImport, actOf, readers, readLong }: Asked<Given>,
): Promise<Response> {
  const { service, raw, server, report, span } = context;
  report.route = "bulk";
  report.isTimed = false;
  const { guards, records } = service;
  const reserved: (() => void)[] = [];
  const release = () => {
    for (const each of reserved) each();
  };
  const reserve = (bytes: number) => {
    const evict = () => {
      if (watch.evict()) release();
    };
    reserved.push(guards.unfinishedBodies.reserved.acquire(context.subject, bytes, evict));
  };
  // The size of two windows and the record that is being read.
  reserve(4 * 1024 * 1024);
  // The runtime would count from the head, however steadily the body comes; the watch counts from the last chunk.
  server.timeout(raw, 0);
  const body = new BodyChunks(context);
  const watch = new ImportWatch(service, caller, body);
  // A dry run writes nothing and counts for no rate.
  const rate = isDry ? undefined : guards.rateLimit?.bulk(context, caller, () => watch.requireGoingOn());
  const idsMax = DRY_RUN_IDS_MAX[caller.person === undefined ? "program" : "page"];
  const dryRun = isDry ? new DryRun((ids) => reserve(ids * DRY_RUN_ID_BYTES), idsMax) : undefined;
  const act = actOf({ plants: records.plants, caller, span, dryRun, pageImport });
  const bulk = new BulkReport(errorsMax, act.outcomes);
  try {
    const read = new SHAPE_1.BulkRecords(type, readers, INLINE_PARSE.each);
    await runInBulk({ act, account: caller.account, guards, records: read, report: bulk, watch, rate, readLong }, body);
  } catch (error) {
    if (error instanceof Failure && error.code === "body-too-large") throw await closing(error, body);
    // The end of an import by its watch is promised within a second, of which a sender that continues is given a part.
    await body.discardBeforeClose(watch.reason ? 250 : undefined);
    throw error;
  } finally {
    watch.close();
    release();
    await rate?.end().catch(() => {});
    if (!isDry) report.created = bulk.counts.created ?? 0;
  }
  return postAnswer(SHAPE_1.bulkBody(bulk), context);
}

/** The refusal, which also closes the connection unless the body ends soon. */
async function closing(tooLarge: Failure, body: BodyChunks): Promise<Failure> {
  const { code, message, detail } = tooLarge;
  if (detail.headers?.Connection === "close" || (await body.discardRest())) return tooLarge;
  return new Failure(code, message, { ...detail, headers: { Connection: "close" } });
}
