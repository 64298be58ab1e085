import type { McpCall } from "#contract/mcp.ts";
import { readRpcBody } from "#contract/mcp-body.ts";
import { mcpOverHttp } from "#mcp/http.ts";
import type { Callee } from "#threads/channel.ts";

interface RequestHead {
  readonly url: string;
  readonly method: string;
  readonly headers: [string, string][];
}

export interface PackedAnswer {
  readonly status: number;
  readonly headers: [string, string][];
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** The functions of the thread that serves, which the protocol's thread calls: the API. */
export type ApiFunctions = {
  request(request: RequestHead & { readonly body: string | undefined }): Promise<PackedAnswer>;
};

export type McpFunctions = ReturnType<typeof mcpFunctions>;

/** Answers calls of the Model Context Protocol, whose tools send their requests to the API of another thread. */
export function mcpFunctions(api: Callee<ApiFunctions>) {
  const answer = mcpOverHttp(async (request) => {
    const body = request.body ? await request.text() : undefined;
    const { value } = await api.open("request", { ...headOf(request), body }).next();
    return unpacked(value as PackedAnswer);
  });
  return {
    body: readRpcBody,
    async call({ head, ...call }: Omit<McpCall, "request"> & { readonly head: RequestHead }) {
      const request = new Request(head.url, head);
      const { response, requests, fault } = await answer({ ...call, request });
      return { ...(await packed(response)), requests, fault };
    },
  };
}

export function headOf({ url, method, headers }: Request): RequestHead {
  return { url, method, headers: [...headers] };
}

export async function packed(response: Response): Promise<PackedAnswer> {
  const { status, headers } = response;
  return { status, headers: [...headers], bytes: new Uint8Array(await response.arrayBuffer()) };
}

export function unpacked({ status, headers, bytes }: PackedAnswer): Response {
  return new Response(bytes.length === 0 ? null : bytes, { status, headers });
}
