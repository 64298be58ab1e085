import type { LoggedRequest } from "#core/request-log.ts";
import type { RequestRecord } from "./dashboard/requests.ts";
import { timestamp } from "./timestamp.ts";

/** A logged request in the form of the dashboard and the command line. */
export function requestRecord(request: LoggedRequest): RequestRecord {
  const { requestId, at, method, path, status, error, ms, token = null, address, agent, message, replayed } = request;
  return {
    request_id: requestId,
    at: timestamp(at),
    method,
    path,
    status,
    error,
    ms,
    source: request.source,
    token,
    person: request.person,
    address,
    agent: agent ?? "",
    bytes_in: request.bytesIn ?? null,
    message,
    plant_id: request.plantId,
    replayed,
    sampled_of: request.sampledOf,
    trace_id: request.traceId,
  };
}
