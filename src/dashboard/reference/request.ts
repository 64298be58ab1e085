import { NO_ANSWER, RequestFailure } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import type { PreparedRequest } from "../text/request-examples.ts";
import { exampleText, type Operation, type Parameter } from "./openapi.ts";

/**
 * The fields of an operation as the reader filled them in: "mediaType", "body", "token", and the parameters by the names
 * of their fields. Everything is text, so that every digit of an id is kept.
 */
type RequestForm = Readonly<Record<string, string>>;

/** The name of a parameter's field: parameters in different places may share a name. */
export function fieldOf({ in: where, name }: Parameter): string {
  return `${where} ${name}`;
}

export function emptyForm({ parameters, requestBody }: Operation): RequestForm {
  const [mediaType = "", media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const filled = parameters
    .filter(({ required }) => required)
    .map((each) => [fieldOf(each), String(each.example ?? each.schema.examples?.[0] ?? "")]);
  return { ...Object.fromEntries(filled), mediaType, body: exampleText(media) ?? "", token: "" };
}

export function preparedRequest(operation: Operation, form: RequestForm): PreparedRequest {
  const query = new URLSearchParams();
  const headers: Record<string, string> = {};
  let { path } = operation;
  for (const parameter of operation.parameters) {
    const { in: where, name } = parameter;
    const value = form[fieldOf(parameter)] ?? "";
    if (where === "path") path = path.replace(`{${name}}`, encodeURIComponent(value));
    if (where === "query" && value !== "") query.append(name, value);
    if (where === "header" && value !== "") headers[name] = value;
  }
  const body = (operation.requestBody && form.body) || undefined;
  if (body !== undefined) headers["Content-Type"] = form.mediaType ?? "";
  return { method: operation.method, path: query.size > 0 ? `${path}?${query}` : path, headers, body };
}

const BODY_SHOWN_MAX = 100_000;

/** Sends the reader's request once, with that token and without the session's cookie. */
export function sendOnce(service: ServiceClient, request: PreparedRequest, token?: string) {
  const headers = { ...request.headers, ...(token && { Authorization: `Bearer ${token}` }) };
  return answerTo({ ...request, headers }, (init) =>
    service.send(service.origin + request.path, { ...init, credentials: "omit" }),
  );
}

/** Sends the reader's request once as the page would, by the session. */
export function sendBySession(service: ServiceClient, request: PreparedRequest) {
  return answerTo(request, (init) => service.sendBySession(`${service.origin}/dashboard/api${request.path}`, init));
}

/**
 * A refusal is an answer like any other; it throws only if there is no answer. The body is text, so that every digit is
 * preserved.
 */
async function answerTo(request: PreparedRequest, send: (init: RequestInit) => Promise<Response>) {
  const { method, headers, body } = request;
  const startedAt = performance.now();
  try {
    const answer = await send({ method, headers, body, redirect: "manual", signal: AbortSignal.timeout(20_000) });
    const text = await answer.text();
    return {
      status: answer.status,
      headers: [...answer.headers],
      body: text.length > BODY_SHOWN_MAX ? `${text.slice(0, BODY_SHOWN_MAX)}\n…` : text,
      ms: Math.round(performance.now() - startedAt),
    };
  } catch {
    throw new RequestFailure(0, undefined, NO_ANSWER, undefined);
  }
}
