/** A batch of JSON-RPC, of which not every message is one. */
export const BATCH = [
  { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "add_plant", arguments: { id: "5", name: "Fern" } } },
  { jsonrpc: "2.0", method: "notifications/initialized" },
  { jsonrpc: "2.0", id: "two", method: "tools/call", params: { name: "get_plant", arguments: { id: "5" } } },
  { jsonrpc: "2.0", id: 3, method: "no/such" },
  { jsonrpc: "2.0", id: 4.5, method: "ping" },
  { jsonrpc: "2.0", id: 5, method: "initialize", params: {} },
  6,
];

/** The answers to it, by the ids that they are for. */
export const BATCH_ANSWERS = [
  { id: 1, result: { structuredContent: { outcome: "created" } } },
  { id: "two", result: { structuredContent: { id: "5", name: "Fern" } } },
  { id: 3, error: { code: -32601 } },
  { id: null, error: { code: -32600 } },
  { id: 5, error: { code: -32600 } },
  { id: null, error: { code: -32600 } },
];
