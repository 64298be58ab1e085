import { readObject } from "#contract/json-object.ts";
import { Failure } from "#core/failure.ts";
import { authenticate } from "./bearer.ts";
import { readText } from "./body.ts";
import { mediaType } from "./media-type.ts";
import { addressUnknown, methodNotAllowed } from "./refusals.ts";
import type { RequestContext } from "./request-context.ts";
import { isOfAnotherOrigin } from "./same-origin.ts";
import type { Mount } from "./service.ts";

/** A call of the Model Context Protocol whose token was checked. */
interface Call {
  readonly request: Request;
  readonly body: unknown;
  readonly token: string;
  readonly scopes: readonly string[];
}

interface CallAnswer {
  readonly response: Response;
  /** The number of requests that the call sent to the API. */
  readonly requests: number;
}

interface JsonRpcError {
  readonly id: unknown;
  readonly error: { readonly code: number; readonly message: string };
}

/** The code of JSON-RPC 2.0 for a body that is not a request of it. */
const INVALID_REQUEST = -32600;
const ALLOWED = ["POST", "OPTIONS"];

/**
 * `/mcp`: the Model Context Protocol, with the token, rate and limits of any API request. A page of another origin may
 * not call it, since a host name of its own could resolve to this address (DNS rebinding).
 */
export function mcpMount(answer: (call: Call) => Promise<CallAnswer>): Mount {
  return {
    prefix: "/mcp",
    route: "other",
    headers: ({ version, rateHeaders }) => ({
      "Plantstore-Version": version.version.version,
      "X-Content-Type-Options": "nosniff",
      ...rateHeaders,
    }),
    async fetch(context) {
      if (context.path !== "/mcp") throw addressUnknown();
      if (context.method === "OPTIONS")
        return new Response(null, { status: 204, headers: { Allow: ALLOWED.join(", ") } });
      if (context.method !== "POST") throw methodNotAllowed(context.method, ALLOWED);
      if (isOfAnotherOrigin(context.client)) {
        throw new Failure("page-refused", "A web page of another origin may not call this address");
      }
      const { token } = await authenticate(context, undefined, Date.now());
      const count = async () => context.service.rateLimit?.count(context, token);
      const body = await bodyOf(context).catch(async (error) => {
        await count();
        throw error;
      });
      const isToolCall = body.method === "tools/call";
      if (!isToolCall) await count();
      const secret =
        context.arrived.headers
          .get("authorization")
          ?.replace(/^bearer +/i, "")
          .trim() ?? "";
      const called = await answer({ request: context.request, body, token: secret, scopes: token.scopes });
      // The API has counted the requests of a tool. A call that sent none is counted here.
      if (isToolCall && called.requests === 0) await count();
      return inErrorShape(called.response);
    },
  };
}

/**
 * Throws a Failure for a refusal of the protocol's transport, which is a JSON-RPC error without the id of a request, so
 * that it has the Error shape of every other refusal. An answer to a request stays as it is.
 */
async function inErrorShape(response: Response): Promise<Response> {
  if (response.status < 400) return response;
  const text = await response.text();
  const { id, error } = JSON.parse(text) as JsonRpcError;
  if (id !== null) return new Response(text, response);
  if (response.status >= 500) throw new Error(error.message);
  if (response.status === 406) throw new Failure("not-acceptable", error.message);
  throw new Failure(error.code === INVALID_REQUEST ? "body-not-a-plant" : "member-invalid", error.message);
}

async function bodyOf(context: RequestContext): Promise<Record<string, unknown>> {
  mediaType(context.arrived, ["application/json"]);
  return readObject(await readText(context), "call a tool");
}
