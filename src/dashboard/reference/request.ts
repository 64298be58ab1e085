import { Connection } from "#client/connection.ts";
import { PlantstoreError } from "#client/error.ts";
import type { ServiceClient } from "../api/service-client.ts";
import type { PreparedRequest } from "../text/request-examples.ts";
import { exampleText, type Operation } from "./openapi.ts";

/** The values that the reader filled in for an operation. Everything is text, so that every digit of an id is kept. */
export interface RequestForm {
  readonly parameters: Readonly<Record<string, string>>;
  readonly mediaType: string;
  readonly body: string;
}

export function emptyForm({ parameters, body }: Operation): RequestForm {
  const [mediaType = "", media] = Object.entries(body?.content ?? {})[0] ?? [];
  const filled = parameters
    .filter(({ required }) => required)
    .map(({ name, example, schema }) => [name, String(example ?? schema.examples?.[0] ?? "")]);
  return { parameters: Object.fromEntries(filled), mediaType, body: exampleText(media) ?? "" };
}

export function preparedRequest(operation: Operation, form: RequestForm): PreparedRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const { in: where, name } of operation.parameters) {
    const value = form.parameters[name] ?? "";
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (where === "query" && value !== "") query.append(name, value);
    if (where === "header" && value !== "") headers[name] = value;
  }
  const body = operation.body && form.body !== "" ? form.body : undefined;
  if (body !== undefined) headers["Content-Type"] = form.mediaType;
  return { method: operation.method, path: query.size > 0 ? `${path}?${query}` : path, headers, body };
}

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
export async function sendOnce(service: ServiceClient, token: string, request: PreparedRequest): Promise<SentAnswer> {
  const { path, headers, body } = request;
  const method = request.method as Operation["method"];
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
  return {
    status: response.status,
    headers: [...response.headers],
    body: text.length > BODY_SHOWN_MAX ? `${text.slice(0, BODY_SHOWN_MAX)}\n…` : text,
    ms: Math.round(performance.now() - startedAt),
  };
}
