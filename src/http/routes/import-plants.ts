import type { BulkType } from "#contract/bulk-type.ts";
import { BulkReport } from "#contract/v1/bulk-report.ts";
import { SHAPE_1 } from "#contract/v1/shape.ts";
import type { ApiCaller } from "#core/caller.ts";
import { namedInEvents } from "#core/event-actor.ts";
import { Failure } from "#core/failure.ts";
import { postAnswer } from "../answer.ts";
import { INLINE_PARSE, parsed } from "../body.ts";
import { BodyChunks } from "../body-chunks.ts";
import { createInBulk } from "../bulk-create.ts";
import { ImportWatch } from "../import-watch.ts";
import type { RequestContext } from "../request-context.ts";

/** One create for each record. */
export async function createPlants(context: RequestContext, caller: ApiCaller, type: BulkType): Promise<Response> {
  const { service, raw, server, report } = context;
  report.route = "bulk";
  report.isTimed = false;
  const bulk = new BulkReport(SHAPE_1.readImportQuery(context.query));
  // The size of two windows and the record that is being read.
  const release = service.guards.unfinishedBodies.reserved.take(context.subject, 4 * 1024 * 1024, () => {
    if (watch.makeRoom()) release();
  });
  // The runtime would count from the head, however steadily the body comes; the watch counts from the last chunk.
  server.timeout(raw, 0);
  const body = new BodyChunks(context);
  const watch = new ImportWatch(service, caller, body);
  const allow = async (wanted: number) =>
    (await service.guards.rateLimit?.take(context, caller, wanted, () => watch.requireGoingOn())) ?? wanted;
  try {
    const records = new SHAPE_1.BulkRecords(type, INLINE_PARSE.each);
    const readLong = (text: string, line: number) => parsed(context, "readNewPlant", text, line, true);
    const { plants } = service.records;
    const { span } = context;
    const { guards } = service;
    const { account } = caller;
    const by = caller.person === undefined ? undefined : namedInEvents(caller);
    await createInBulk({ plants, account, by, guards, records, report: bulk, watch, span, allow, readLong }, body);
  } catch (error) {
    if (error instanceof Failure && error.code === "body-too-large") throw await closing(error, body);
    // The end of an import by its watch is promised within a second, of which a sender that continues is given a part.
    await body.discardBeforeClose(watch.reason ? 250 : undefined);
    throw error;
  } finally {
    watch.close();
    release();
    report.created = bulk.created;
  }
  return postAnswer(SHAPE_1.bulkBody(bulk), context);
}

/** The refusal, which also closes the connection unless the body ends soon. */
async function closing(tooLarge: Failure, body: BodyChunks): Promise<Failure> {
  const { code, message, detail } = tooLarge;
  if (detail.headers?.Connection === "close" || (await body.discardRest())) return tooLarge;
  return new Failure(code, message, { ...detail, headers: { Connection: "close" } });
}
