import { type RequestDetail, type RequestPage, RequestsQuery } from "#contract/dashboard/requests.ts";
import { requestRecord } from "#contract/request-record.ts";
import { optionalTimestamp } from "#contract/token-record.ts";
import { Failure } from "#core/failure.ts";
import { fullPage, type InTurns } from "./in-turns.ts";
import { type PageParts, type PageRequest, readQuery } from "./page.ts";

/** The request log of the session's account. */
export async function* requestsPage(
  { reads: { requests }, loggedSuccessesMax }: PageParts,
  { account, search }: PageRequest,
): InTurns<RequestPage> {
  const { request_id: requestId, cursor, ...filters } = readQuery(search, RequestsQuery);
  const query = { ...filters, requestId, before: cursor === undefined ? undefined : String(cursor) };
  const { found, next } = yield* fullPage(requests, account, query);
  const oldest = await requests.oldest(account);
  return {
    data: found.map(requestRecord),
    next_cursor: next ?? null,
    kept: { from: optionalTimestamp(oldest), successes_a_second: loggedSuccessesMax },
  };
}

export async function requestPage({ reads }: PageParts, { account, id }: PageRequest) {
  const { found } = await reads.requests.list(account, { requestId: id, limit: 1 });
  const [request] = found;
  if (request) return { ...requestRecord(request), excerpt: request.excerpt } satisfies RequestDetail;
  throw new Failure("resource-unknown", "There is no such request in the log; it may be too old, or was not kept");
}
