import { errorMeaning } from "#contract/errors.ts";
import { BODY_SIZE_BYTES_MAX } from "#contract/limits.ts";
import {
  BATCH_VERSION,
  batchAnswer,
  batchProblem,
  type McpAnswer,
  type McpCall,
  NO_MESSAGE,
  RPC_ERRORS,
  type RpcId,
  rpcErrorText,
} from "#contract/mcp.ts";
import { type RpcBody, type RpcMessage, readRpcBody } from "#contract/mcp-body.ts";
import { VERSION } from "#contract/v1/version.ts";
import { Failure } from "#core/failure.ts";
import type { CountedAs } from "#load/counted-as.ts";
import { faultMessage } from "./answer.ts";
import type { ArrivedRequest } from "./arrived-request.ts";
import { INLINE_PARSE, isParsedInline, readText } from "./body.ts";
import { authenticate } from "./callers.ts";
import { mediaType } from "./media-type.ts";
import type { Mount } from "./mount.ts";
import { addressUnknown, methodNotAllowed } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";
import { hasForeignName, isOfAnotherOrigin } from "./same-origin.ts";
import type { CachedToken } from "./token-cache.ts";

interface Calls {
  /** Throws "rate-limited" or "unavailable" if a call of the subject would be refused. */
  requireRoom(subject: CountedAs): void;
  /** Like `readRpcBody`, but in the account's turn, for a text that would delay others. */
  read(subject: CountedAs, text: string): Promise<RpcBody>;
  answer(call: McpCall & { readonly subject: CountedAs }): Promise<McpAnswer>;
}

const ALLOWED = ["POST", "OPTIONS"];

/**
 * `/mcp`: the Model Context Protocol, with the token, rate and limits of any API request. A page of another origin may
 * not call it, since a host name of its own could resolve to this address (DNS rebinding). Refusals have the Error shape
 * until the body is JSON-RPC, and then that of its errors.
 */
export function mcpMount(calls: Calls): Mount {
  return {
    prefix: "/mcp",
    route: "other",
    isApi: true,
    headers: ({ ownHeaders }) => ({
      "Plantstore-Version": VERSION,
      "X-Content-Type-Options": "nosniff",
      ...ownHeaders,
    }),
    async fetch(context) {
      if (context.path !== "/mcp") throw addressUnknown();
      if (context.method === "OPTIONS")
        return new Response(null, { status: 204, headers: { Allow: ALLOWED.join(", ") } });
      if (context.method !== "POST") throw methodNotAllowed(context.method, ALLOWED);
      refusePages(context);
      const cached = await authenticate(context, [], Date.now());
      // A small body is read first, so that the refusal names its id.
      if ((context.bytesIn ?? Number.POSITIVE_INFINITY) > INLINE_PARSE.each) calls.requireRoom(context.subject);
      const body = await bodyOf(context, calls).catch(async (error) => {
        await count(context, cached);
        throw error;
      });
      const answerTo = (message: RpcMessage) => answerMessage(context, message, cached, calls.answer);
      const [message] = body.messages;
      if (message && !body.isBatch) return answerTo(message);
      const problem = batchProblem(body, context.raw.headers.get("mcp-protocol-version") ?? BATCH_VERSION);
      if (problem === undefined) return answerBatch(body.messages, answerTo);
      await count(context, cached);
      return json(400, rpcErrorText(null, RPC_ERRORS.invalidRequest, problem));
    },
  };
}

function refusePages({ client, service }: ArrivedRequest): void {
  if (isOfAnotherOrigin(client)) {
    throw new Failure("page-refused", "A web page of another origin may not call this address");
  }
  if (service.baseUrl === undefined && hasForeignName(client)) {
    const remedy = "call it by localhost or 127.0.0.1, or set BASE_URL to the public address";
    throw new Failure("page-refused", `This address of the machine itself was called by another name: ${remedy}`);
  }
}

async function count(context: RequestContext, cached: CachedToken): Promise<void> {
  await context.service.guards.rateLimit?.count(context, cached);
}

async function bodyOf(context: RequestContext, { read }: Calls): Promise<RpcBody> {
  mediaType(context.raw, ["application/json"]);
  const text = await readText(context, BODY_SIZE_BYTES_MAX);
  return isParsedInline(text) ? readRpcBody(text) : read(context.subject, text);
}

async function answerBatch(batch: readonly RpcMessage[], answerTo: (message: RpcMessage) => Promise<Response>) {
  const text = await batchAnswer(batch, async (message) => (await (await answerTo(message)).text()) || undefined);
  return text === undefined ? new Response(null, { status: 202 }) : json(200, text);
}

async function answerMessage(
  context: RequestContext,
  { text, id, method, isMessage }: RpcMessage,
  cached: CachedToken,
  answer: Calls["answer"],
): Promise<Response> {
  const { absolute: request, service, subject, id: requestId, report } = context;
  const { secret, token } = cached;
  try {
    const isToolCall = isMessage && method === "tools/call";
    if (!isToolCall) await count(context, cached);
    if (!isMessage) return json(400, rpcErrorText(id, RPC_ERRORS.invalidRequest, NO_MESSAGE));
    const { scopes } = token;
    const { response, requests, fault } = await answer({ request, subject, text, token: secret, scopes });
    if (response.status >= 500) throw new Error(await response.text());
    if (fault) service.log.error({ request_id: requestId, err: fault }, "a tool failed");
    // The API has counted the requests of a tool. A call that sent none is counted here.
    if (isToolCall && requests === 0) await count(context, cached);
    return withId(response, id);
  } catch (error) {
    report.error = error;
    return refused(error, id, requestId);
  }
}

/** An error of the transport has no id, though it answers a request that has one. */
async function withId(response: Response, id: RpcId): Promise<Response> {
  if (response.status < 400) return response;
  const refused = (await response.json()) as Record<string, unknown>;
  return json(response.status, JSON.stringify({ ...refused, id: refused.id ?? id }));
}

function refused(error: unknown, id: RpcId, requestId: string): Response {
  if (!(error instanceof Failure)) return json(500, rpcErrorText(id, RPC_ERRORS.internal, faultMessage(requestId)));
  const { error: number, status } = errorMeaning(error.code);
  return json(status, rpcErrorText(id, RPC_ERRORS.refused, `${number}: ${error.message}`), error.detail.headers);
}

function json(status: number, text: string, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { "Content-Type": "application/json", ...headers } });
}
