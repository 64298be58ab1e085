import { createParser, type EventSourceMessage } from "eventsource-parser";
import { readAnswer, requireLength } from "./answer.ts";
import type { CallOptions } from "./call-options.ts";
import type { Connection } from "./connection.ts";
import { wait } from "./deadline.ts";
import { type EventQuery, feedCall, readPlantEvent, type StreamedEvent } from "./event.ts";
import { withJson } from "./plant.ts";
import { backoffMs, mayRetry } from "./retry.ts";

/**
 * The account's events as they happen (server-sent events). A connection that is cut is opened again after the last
 * event that was yielded, however long it takes. Throws the refusal of the first connection, and later refusals that
 * another try cannot resolve, for example when the token is revoked or the cursor is no longer stored (41001).
 */
export async function* followedEvents(
  connection: Connection,
  query: EventQuery,
  options: CallOptions,
): AsyncGenerator<StreamedEvent> {
  const state: StreamState = { cursor: query.cursor, retryMs: 0, connected: false };
  for (let failures = 1; ; failures++) {
    const before = state.cursor;
    try {
      yield* connectedEvents(connection, query, options, state);
    } catch (error) {
      if (!state.connected || options.signal?.aborted || !mayRetry(error, true)) throw error;
    }
    if (state.cursor !== before) failures = 1;
    await wait(backoffMs(failures, Math.random(), state.retryMs), options.signal);
  }
}

interface StreamState {
  cursor: string | undefined;
  /** The delay before a new connection that the service asked for. */
  retryMs: number;
  connected: boolean;
}

async function* connectedEvents(
  connection: Connection,
  query: EventQuery,
  options: CallOptions,
  state: StreamState,
): AsyncGenerator<StreamedEvent> {
  const call = feedCall({ types: query.types, cursor: state.cursor });
  // The service sends a comment each 15 s, so a connection that is silent for three of these intervals is dead.
  const limits = { tryTimeoutMs: 45_000, ...(state.connected && { timeoutMs: Infinity }), ...options };
  const { parts } = await connection.open(call, limits, "text/event-stream", "no stream of events");
  state.connected = true;
  const messages: EventSourceMessage[] = [];
  let bytesOfNext = 0;
  const parser = createParser({
    onEvent: (message) => messages.push(message),
    onRetry: (ms) => {
      state.retryMs = ms;
    },
    // The position where the stream starts, for a connection that is cut before its first event.
    onComment: (comment) => {
      state.cursor = /^cursor (\S+)$/.exec(comment)?.[1] ?? state.cursor;
    },
  });
  const decoder = new TextDecoder();
  for await (const part of parts) {
    bytesOfNext += part.length;
    requireLength(bytesOfNext, connection.url);
    parser.feed(decoder.decode(part, { stream: true }));
    if (messages.length > 0) bytesOfNext = 0;
    for (const message of messages.splice(0)) {
      const event = readAnswer(message.data, connection.url, readPlantEvent);
      state.cursor = message.id ?? state.cursor;
      if (event) yield withJson({ ...event, cursor: message.id ?? "", json: message.data });
    }
  }
}
