import type { EndedRequest } from "#core/request.ts";
import type { Token } from "#core/token.ts";

const TOKEN: Pick<Token, "id" | "name"> = { id: "tok_1", name: "import" };

/** A create that succeeded, with the given members. */
export function endedRequest(more: Partial<EndedRequest> = {}): EndedRequest {
  return {
    id: "req_1",
    route: "create",
    method: "POST",
    path: "/v1/plants",
    query: "",
    status: more.errorNumber === undefined ? 200 : Math.floor(more.errorNumber / 100),
    errorNumber: undefined,
    error: undefined,
    durationMs: 1.26,
    isTimed: true,
    endedAt: 5500,
    token: TOKEN as Token,
    account: 1,
    person: undefined,
    created: 1,
    outcome: "created",
    plantId: 9007199254740993n,
    plantUpdatedAt: undefined,
    address: "192.0.2.1",
    userAgent: "curl/8",
    bytesIn: 40,
    message: undefined,
    bodyText: undefined,
    trace: undefined,
    span: undefined,
    isApi: true,
    ...more,
  };
}
