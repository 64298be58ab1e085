import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import {
  type JSONRPCMessage,
  ProtocolErrorCode,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from "@modelcontextprotocol/server";
import { batchAnswer, batchProblem, NO_MESSAGE, rpcErrorText, rpcIdOf } from "#contract/mcp.ts";

/**
 * Messages of JSON-RPC, or batches of them, one a line. Unlike the library's own transport it takes batches, answers what
 * is under way before it closes at the end of its input, takes a last line without a line break, and answers a line that
 * is no message.
 */
export class LineTransport implements Transport {
  onmessage?: (message: JSONRPCMessage) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  readonly #input: Readable;
  readonly #output: Writable;
  /** The beginning of a line whose end is still to come. */
  #begun = "";
  /** Takes the JSON of the answer to each request that has none yet; undefined if it was cancelled. */
  readonly #unanswered = new Map<RequestId, (answer: string | undefined) => void>();
  #linesUnderWay = 0;
  #version: string | undefined;
  /** Resolves once the last `initialize` is answered: a batch that was sent right behind it waits for the version. */
  #negotiated: Promise<unknown> = Promise.resolve();
  /** Resolves when it is closed, from either side. */
  readonly closed: Promise<void>;
  #end: () => void = () => {};
  #ended = false;
  #closed = false;

  constructor(input: Readable, output: Writable) {
    this.#input = input.setEncoding("utf8");
    this.#output = output;
    // Node 20 has no Promise.withResolvers.
    this.closed = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  async start(): Promise<void> {
    this.#output.on("error", () => this.close());
    this.#input.on("data", (text: string) => this.#read(text));
    this.#input.on("end", () => {
      this.#read("\n");
      this.#ended = true;
      this.#closeWhenAnswered();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const text = JSON.stringify(message);
    if ("id" in message && !("method" in message) && this.#answered(message.id, text)) return;
    await this.#write(text);
  }

  /** Called once a version is negotiated. */
  setProtocolVersion(version: string): void {
    this.#version = version;
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#input.pause();
    this.onclose?.();
    this.#end();
  }

  /** Lines end at line feeds alone: those of node:readline end at U+2028 too, which JSON may hold. */
  #read(text: string): void {
    const lines = (this.#begun + text).split("\n");
    this.#begun = lines.pop() ?? "";
    for (const line of lines) void this.#take(line);
  }

  async #take(line: string): Promise<void> {
    if (line.trim() === "") return;
    this.#linesUnderWay++;
    const answer = await this.#answerTo(line);
    if (answer !== undefined) await this.#write(answer);
    this.#linesUnderWay--;
    this.#closeWhenAnswered();
  }

  async #answerTo(line: string): Promise<string | undefined> {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      return rpcErrorText(null, ProtocolErrorCode.ParseError, "The line is not JSON");
    }
    if (!Array.isArray(value)) return this.#messageAnswer(value);
    await this.#negotiated;
    const problem = batchProblem(value, this.#version);
    if (problem !== undefined) return rpcErrorText(null, ProtocolErrorCode.InvalidRequest, problem);
    return batchAnswer(value, (message) => this.#messageAnswer(message));
  }

  async #messageAnswer(value: unknown): Promise<string | undefined> {
    let message: JSONRPCMessage;
    try {
      message = parseJSONRPCMessage(value);
    } catch {
      return rpcErrorText(rpcIdOf(value), ProtocolErrorCode.InvalidRequest, NO_MESSAGE);
    }
    const answer = this.#answerOf(message);
    if ("method" in message && message.method === "initialize") this.#negotiated = answer;
    this.onmessage?.(message);
    if ("method" in message && message.method === "notifications/cancelled") {
      this.#answered(message.params?.requestId as RequestId, undefined);
    }
    return answer;
  }

  /** Resolves with undefined for what is no request, and for a subscription, which is answered when it ends. */
  #answerOf(message: JSONRPCMessage): Promise<string | undefined> {
    if (!("method" in message && "id" in message) || message.method === "subscriptions/listen") {
      return Promise.resolve(undefined);
    }
    return new Promise((resolve) => {
      // If two requests have the same id, the earlier stops waiting; both answers are written as they come.
      this.#answered(message.id, undefined);
      this.#unanswered.set(message.id, resolve);
    });
  }

  #answered(id: RequestId | undefined, answer: string | undefined): boolean {
    const take = id === undefined ? undefined : this.#unanswered.get(id);
    if (!take) return false;
    this.#unanswered.delete(id as RequestId);
    take(answer);
    return true;
  }

  async #write(text: string): Promise<void> {
    if (!this.#closed && !this.#output.write(`${text}\n`)) await once(this.#output, "drain");
  }

  #closeWhenAnswered(): void {
    if (this.#ended && this.#linesUnderWay === 0) void this.close();
  }
}
