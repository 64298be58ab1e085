import { Connection } from "#client/connection.ts";
import { PlantstoreError } from "#client/error.ts";
import type { Service } from "../api/service.ts";
import type { PreparedRequest } from "./request.ts";

/** An answer as it came over the wire. The body is text, so that every digit is preserved. */
export interface SentAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly ms: number;
}

const BODY_SHOWN_MAX = 100_000;
const VERSION = "/v1";

/**
 * Sends the reader's request once, through the client library and with that token. A refusal is an answer like any
 * other; it throws only if there is no answer.
 */
export async function sendOnce(service: Service, token: string, request: PreparedRequest): Promise<SentAnswer> {
  const { method, path, headers, body } = request;
  const startedAt = performance.now();
  let answer: SentAnswer | undefined;
  const send = async (address: string, init: RequestInit) => {
    const response = await service.send(address, init);
    answer = await readAnswer(response.clone(), startedAt);
    return response;
  };
  if (!path.startsWith(`${VERSION}/`))
    return readAnswer(await service.send(service.origin + path, { method }), startedAt);
  const connection = new Connection({ url: service.origin, token, fetch: send });
  const call = { method, path: path.slice(VERSION.length), headers, body, repeatable: false };
  try {
    await connection.ask(call, { retriesMax: 0 }, () => undefined);
  } catch (error) {
    if (!answer || !(error instanceof PlantstoreError)) throw error;
  }
  if (answer) return answer;
  throw new Error("No answer came");
}

async function readAnswer(response: Response, startedAt: number): Promise<SentAnswer> {
  const text = await response.text();
  const more = text.length > BODY_SHOWN_MAX;
  return {
    status: response.status,
    headers: [...response.headers],
    body: more ? `${text.slice(0, BODY_SHOWN_MAX)}\n…` : text,
    ms: Math.round(performance.now() - startedAt),
  };
}
