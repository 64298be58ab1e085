import { bulkBody, readErrorsMax } from "#contract/bulk-body.ts";
import { BulkRecords, type BulkType } from "#contract/bulk-records.ts";
import { BulkReport } from "#core/bulk-report.ts";
import { Failure } from "#core/failure.ts";
import type { Token } from "#core/token.ts";
import { jsonAnswer } from "../answer.ts";
import { refuseContentCoding } from "../body.ts";
import { BodyChunks } from "../body-chunks.ts";
import { createInBulk } from "../bulk-create.ts";
import type { RequestContext } from "../request-context.ts";
import type { Service } from "../service.ts";

/** A sender that is silent for longer is cut off. */
const SILENCE_S_MAX = 60;
/** Of the 8 s that the service takes to stop: it is noticed up to a second late, and answering may take three more. */
const DRAINING_MS_MAX = 2500;

/** `POST /plants` with many plants: one create for each record. The token was checked. */
export async function importPlants(context: RequestContext, { account }: Token, type: BulkType): Promise<Response> {
  const { service, arrived, server } = context;
  context.route = "bulk";
  refuseContentCoding(arrived);
  const report = new BulkReport(readErrorsMax(context.query));
  server.timeout(arrived, SILENCE_S_MAX);
  const bulk = {
    plants: service.store.plants,
    account,
    records: new BulkRecords(type),
    report,
    mustStop: whenDrainingFor(service, DRAINING_MS_MAX),
  };
  const body = new BodyChunks(arrived.body);
  try {
    await createInBulk(bulk, body);
  } catch (error) {
    throw await refusedMidway(error, body);
  } finally {
    context.created = report.created;
  }
  return jsonAnswer(bulkBody(report), context);
}

function whenDrainingFor(service: Service, ms: number): () => boolean {
  let since: number | undefined;
  return () => {
    if (service.draining) since ??= performance.now();
    return since !== undefined && performance.now() - since > ms;
  };
}

async function refusedMidway(error: unknown, body: BodyChunks): Promise<unknown> {
  await body.discardRest();
  if (!(error instanceof Failure)) return error;
  const headers = { ...error.detail.headers, Connection: "close" };
  return new Failure(error.code, error.message, { ...error.detail, headers });
}
