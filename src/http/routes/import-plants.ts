import { bulkBody, readErrorsMax } from "#contract/bulk-body.ts";
import { BulkRecords, type BulkType } from "#contract/bulk-records.ts";
import { BulkReport } from "#core/bulk-report.ts";
import { Failure } from "#core/failure.ts";
import { queryOf } from "../address.ts";
import { refuseContentCoding } from "../body.ts";
import { BodyChunks } from "../body-chunks.ts";
import { createInBulk } from "../bulk-create.ts";
import type { HttpServer, Service } from "../service.ts";
import type { CachedToken } from "../token-cache.ts";

/** A sender that is silent for longer is cut off. */
const SILENCE_S_MAX = 60;
/** Of the 8 s that the service takes to stop: it is noticed up to a second late, and answering may take three more. */
const DRAINING_MS_MAX = 2500;

export interface Import {
  readonly known: CachedToken;
  readonly type: BulkType;
  readonly request: Request;
  readonly server: HttpServer;
}

/** `POST /plants` with many plants: one create for each record. Gives the answer's body. */
export async function importPlants(service: Service, { known, type, request, server }: Import): Promise<string> {
  refuseContentCoding(request);
  const report = new BulkReport(readErrorsMax(queryOf(request.url)));
  server.timeout(request, SILENCE_S_MAX);
  const bulk = {
    plants: service.store.plants,
    account: known.token.account,
    records: new BulkRecords(type),
    report,
    mustStop: whenDrainingFor(service, DRAINING_MS_MAX),
  };
  const body = new BodyChunks(request.body);
  try {
    await createInBulk(bulk, body);
  } catch (error) {
    throw await refusedMidway(error, body);
  } finally {
    known.usage.created += report.created;
  }
  if (report.created === 0) known.usage.other++;
  return bulkBody(report);
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
