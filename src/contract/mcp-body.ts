import { Failure } from "#core/failure.ts";
import { readJson } from "./json-object.ts";
import { BATCH_LENGTH_MAX, type RpcId, rpcIdOf } from "./mcp.ts";

/** The part of a message, which may be long, that is needed to count and to answer it. */
export interface RpcMessage {
  readonly text: string;
  readonly id: RpcId;
  readonly method: string | undefined;
  readonly isMessage: boolean;
}

/** One message, or a batch. One that is too long is left unread. */
export interface RpcBody {
  readonly isBatch: boolean;
  readonly length: number;
  readonly messages: readonly RpcMessage[];
}

/** Reads a body. Throws "body-not-json", and "body-not-a-plant" for what is neither a batch nor a message. */
export function readRpcBody(text: string): RpcBody {
  const body = readJson(text, "call a tool");
  if (Array.isArray(body)) {
    const { length } = body;
    const read = length > BATCH_LENGTH_MAX ? [] : body;
    return { isBatch: true, length, messages: read.map((each) => rpcMessage(JSON.stringify(each), each)) };
  }
  const message = rpcMessage(text, body);
  if (message.isMessage) return { isBatch: false, length: 1, messages: [message] };
  throw new Failure("body-not-a-plant", 'Cannot call a tool: the body must be an object with "jsonrpc": "2.0"');
}

function rpcMessage(text: string, value: unknown): RpcMessage {
  const { jsonrpc, method } = (value ?? {}) as Readonly<Record<string, unknown>>;
  return {
    text,
    id: rpcIdOf(value),
    method: typeof method === "string" ? method : undefined,
    isMessage: jsonrpc === "2.0",
  };
}
