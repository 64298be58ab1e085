import { createMcpHandler, ProtocolErrorCode } from "@modelcontextprotocol/server";
import { PlantstoreClient } from "#client/plantstore-client.ts";
import type { McpAnswer, McpCall } from "#contract/mcp.ts";
import { createMcpServer } from "./server.ts";

/**
 * Answers calls of the Model Context Protocol over HTTP, without a session and with one JSON answer for each request.
 * `send` passes the tools' requests to the API, which checks the token, its scopes and its rate as for any client.
 */
export function mcpOverHttp(send: (request: Request) => Promise<Response>): (call: McpCall) => Promise<McpAnswer> {
  return async ({ request, body, token, scopes }) => {
    if (isSubscription(body)) return { response: unknownMethod(body), requests: 0 };
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
    const response = await asJson(await handler.fetch(request, { parsedBody: body }));
    return { response, requests, fault };
  };
}

/** A subscription would be a stream that never ends, and the tools of a token never change. */
function isSubscription(body: unknown): body is { readonly id?: unknown } {
  return typeof body === "object" && body !== null && "method" in body && body.method === "subscriptions/listen";
}

/** The answer that the protocol has for a method that the server does not offer. */
function unknownMethod({ id = null }: { readonly id?: unknown }): Response {
  const error = { code: ProtocolErrorCode.MethodNotFound, message: "Method not found" };
  return Response.json({ jsonrpc: "2.0", id, error }, { status: 404 });
}

/** Clients of the generation before 2026 are answered by a stream of one message, which is converted to JSON. */
async function asJson(answer: Response): Promise<Response> {
  if (!answer.headers.get("Content-Type")?.startsWith("text/event-stream")) return answer;
  const messages = [...(await answer.text()).matchAll(/^data: ?(.+)$/gm)].map(([, message]) => message);
  if (messages.length !== 1) throw new Error(`The answer must be one message, and has ${messages.length}`);
  return new Response(messages[0], { status: answer.status, headers: { "Content-Type": "application/json" } });
}
