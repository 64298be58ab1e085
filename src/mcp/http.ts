import {
  createMcpHandler,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  ProtocolErrorCode,
} from "@modelcontextprotocol/server";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import { type McpAnswer, type McpCall, NO_MESSAGE, rpcErrorText, rpcIdOf } from "#contract/mcp.ts";
import { createMcpServer } from "./server.ts";

/**
 * Answers calls of the Model Context Protocol over HTTP, without a session and with one JSON answer for each request.
 * `send` passes the tools' requests to the API, which checks the token, its scopes and its rate as for any client.
 */
export function mcpOverHttp(send: (request: Request) => Promise<Response>): (call: McpCall) => Promise<McpAnswer> {
  return async ({ request, text, token, scopes }) => {
    const body: unknown = JSON.parse(text);
    const refused = refusal(body);
    if (refused) return { response: refused, requests: 0 };
    let requests = 0;
    let fault: unknown;
    const fetch = (address: string, init: RequestInit) => {
      requests++;
      return send(new Request(address, init));
    };
    const client = new PlantstoreClient({ url: "http://localhost", token, fetch, retriesMax: 0 });
    const onFault = (error: unknown) => {
      fault = error;
    };
    const handler = createMcpHandler(() => createMcpServer(client, scopes, onFault));
    // The answer is JSON whatever the client accepts, and its body was read as JSON: the library refuses a request that
    // does not name all types.
    request.headers.set("Accept", "application/json, text/event-stream");
    request.headers.set("Content-Type", "application/json");
    const response = await asJson(await handler.fetch(request, { parsedBody: body }));
    return { response, requests, fault };
  };
}

function refusal(body: unknown): Response | undefined {
  const isMessage = isJSONRPCRequest(body) || isJSONRPCNotification(body) || isJSONRPCResponse(body);
  if (!isMessage) return refused(400, body, ProtocolErrorCode.InvalidRequest, NO_MESSAGE);
  // A subscription would be a stream that never ends, and the tools of a token never change.
  if (!("method" in body && body.method === "subscriptions/listen")) return undefined;
  return refused(404, body, ProtocolErrorCode.MethodNotFound, "Method not found");
}

function refused(status: number, body: unknown, code: number, message: string): Response {
  const headers = { "Content-Type": "application/json" };
  return new Response(rpcErrorText(rpcIdOf(body), code, message), { status, headers });
}

/** Clients of the generation before 2026 are answered by a stream of one message, which is converted to JSON. */
async function asJson(answer: Response): Promise<Response> {
  if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return answer;
  // A regular expression would take U+2028, which names may hold, for the end of a line.
  const messages = (await answer.text()).split(/\r?\n/).filter((line) => line.startsWith("data:"));
  if (messages.length !== 1) throw new Error(`The answer must be one message, and has ${messages.length}`);
  return new Response(messages[0]?.slice("data:".length).trimStart(), {
    status: answer.status,
    headers: { "Content-Type": "application/json" },
  });
}
