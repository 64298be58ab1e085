import { readJson } from "#contract/json-object.ts";
import type { McpAnswer, McpCall } from "#contract/mcp.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Token } from "#core/token.ts";
import { faultMessage } from "./answer.ts";
import type { ArrivedRequest } from "./arrived-request.ts";
import { authenticate } from "./bearer.ts";
import { readText } from "./body.ts";
import { mediaType } from "./media-type.ts";
import type { Mount } from "./mount.ts";
import { addressUnknown, methodNotAllowed } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";
import { hasForeignName, isOfAnotherOrigin } from "./same-origin.ts";

type Message = Readonly<Record<string, unknown>>;

interface Calls {
  /** Throws "rate-limited" or "unavailable" if a call of the account would be refused: its body is then not read. */
  requireRoom(account: AccountNumber): void;
  answer(call: McpCall & { readonly account: AccountNumber }): Promise<McpAnswer>;
}

const INVALID_REQUEST = -32600;
const INTERNAL_ERROR = -32603;
const NO_BATCHES = "Batches are no part of this protocol: send each message in its own request";
const ALLOWED = ["POST", "OPTIONS"];

/**
 * `/mcp`: the Model Context Protocol, with the token, rate and limits of any API request. A page of another origin may
 * not call it, since a host name of its own could resolve to this address (DNS rebinding). Refusals have the Error shape
 * until the body is JSON-RPC, and then that of its errors.
 */
export function mcpMount({ requireRoom, answer }: Calls): Mount {
  return {
    prefix: "/mcp",
    route: "other",
    headers: ({ version, rateHeaders }) => ({
      "Plantstore-Version": version.version,
      "X-Content-Type-Options": "nosniff",
      ...rateHeaders,
    }),
    async fetch(context) {
      if (context.path !== "/mcp") throw addressUnknown();
      if (context.method === "OPTIONS")
        return new Response(null, { status: 204, headers: { Allow: ALLOWED.join(", ") } });
      if (context.method !== "POST") throw methodNotAllowed(context.method, ALLOWED);
      refusePages(context);
      const { token } = await authenticate(context, undefined, Date.now());
      requireRoom(token.account);
      const count = async () => context.service.guards.rateLimit?.count(context, token);
      const body = await bodyOf(context, token.account).catch(async (error) => {
        await count();
        throw error;
      });
      const isToolCall = body !== "batch" && body.method === "tools/call";
      if (!isToolCall) await count();
      // The versions from 2025-06-18 on have none, and 2025-03-26, in which a server must receive them, is not negotiated.
      if (body === "batch") return jsonRpcError(400, INVALID_REQUEST, NO_BATCHES);
      const called = await answered(context, { body, token }, answer);
      // The API has counted the requests of a tool. A call that sent none is counted here.
      if (isToolCall && called.requests === 0) await count();
      return withId(called.response, body);
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

/** A message of JSON-RPC, or the fact that there are several. Throws "body-not-a-plant" for anything else. */
async function bodyOf(context: RequestContext, account: AccountNumber): Promise<Message | "batch"> {
  mediaType(context.raw, ["application/json"]);
  const body = readJson(await readText(context, account), "call a tool");
  if (Array.isArray(body) && body.some(isMessage)) return "batch";
  if (isMessage(body)) return body;
  throw new Failure("body-not-a-plant", 'Cannot call a tool: the body must be an object with "jsonrpc": "2.0"');
}

function isMessage(value: unknown): value is Message {
  return typeof value === "object" && value !== null && "jsonrpc" in value && value.jsonrpc === "2.0";
}

async function answered(
  context: RequestContext,
  { body, token }: { readonly body: Message; readonly token: Token },
  answer: Calls["answer"],
): Promise<McpAnswer> {
  const { absolute: request, service, id } = context;
  const authorization = context.raw.headers.get("authorization") ?? "";
  const secret = authorization.replace(/^bearer +/i, "").trim();
  try {
    const { scopes, account } = token;
    const called = await answer({ request, account, body, token: secret, scopes });
    if (called.response.status >= 500) throw new Error(await called.response.text());
    if (called.fault) service.log.error({ request_id: id, err: called.fault }, "a tool failed");
    return called;
  } catch (error) {
    if (error instanceof Failure) throw error;
    context.report.error = error;
    return { response: jsonRpcError(500, INTERNAL_ERROR, faultMessage(id)), requests: 0 };
  }
}

function jsonRpcError(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status });
}

/** An error of the transport has no id, though it answers a request that has one. */
async function withId(response: Response, { id }: Message): Promise<Response> {
  if (response.status < 400 || (typeof id !== "string" && typeof id !== "number")) return response;
  const refused = (await response.json()) as Record<string, unknown>;
  return Response.json({ ...refused, id: refused.id ?? id }, { status: response.status });
}
