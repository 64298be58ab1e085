import { once } from "node:events";
import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";

/**
 * Messages of JSON-RPC, one a line. Unlike the library's own transport it answers what is under way before it closes at
 * the end of its input, takes a last line without a line break, and answers a line that is no message.
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #output: Writable;
  readonly #lines: Interface;
  readonly #unanswered = new Set<RequestId>();
  /** Resolves when it is closed, from either side. */
  readonly closed: Promise<void>;
  #end: () => void = () => {};
  #ended = false;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY });
    this.#output = output;
    // Node 20 has no Promise.withResolvers.
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on("error", () => this.close());
    this.#lines.on("line", (line) => this.#take(line));
    this.#lines.on("close", () => {
      this.#ended = true;
      this.#closeWhenAnswered();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#closed) return;
    if (!this.#output.write(`${JSON.stringify(message)}\n`)) await once(this.#output, "drain");
    if ("id" in message && !("method" in message)) this.#answered(message.id);
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#lines.close();
    this.onclose?.();
    this.#end();
  }

  #take(line: string): void {
    if (line.trim() === "") return;
    const message = this.#read(line);
    if (!message) return;
    this.#arrived(message);
    this.onmessage?.(message);
  }

  /** Undefined for a line that is no message, which is refused. */
  #read(line: string): JSONRPCMessage | undefined {
    let problem: [code: number, message: string] = [ProtocolErrorCode.ParseError, "The line is not JSON"];
    try {
      const value: unknown = JSON.parse(line);
      problem = [ProtocolErrorCode.InvalidRequest, "The line is not one message of JSON-RPC 2.0"];
      return parseJSONRPCMessage(value);
    } catch {
      this.#refuse(...problem);
      return undefined;
    }
  }

  #arrived(message: JSONRPCMessage): void {
    if (!("method" in message)) return;
    // A subscription is answered when it ends.
    if ("id" in message && message.method !== "subscriptions/listen") this.#unanswered.add(message.id);
    if (message.method === "notifications/cancelled") this.#answered(message.params?.requestId as RequestId);
  }

  #answered(id: RequestId | undefined): void {
    if (id !== undefined) this.#unanswered.delete(id);
    this.#closeWhenAnswered();
  }

  #closeWhenAnswered(): void {
    if (this.#ended && this.#unanswered.size === 0) void this.close();
  }

  /** An answer without an id, since the line has none that can be read (JSON-RPC 2.0, 5). */
  #refuse(code: number, message: string): void {
    this.send({ jsonrpc: "2.0", id: null, error: { code, message } } as unknown as JSONRPCMessage).catch(() => {});
  }
}
