import { retryAfterMs } from "#contract/headers.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";
import { itemsOf } from "./stream.ts";

/** A page has 8 MiB of text at most, which JSON writes with up to six times as many characters. */
export const ANSWER_LENGTH_MAX = 64 * 1024 * 1024;

/** Statuses by which a proxy reports a temporary failure. */
const PASSING: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Throws the error of an unsuccessful response, after reading its body. */
export async function refuseUnlessSuccess(response: Response, url: string): Promise<void> {
  if (response.ok || response.status === 304) return;
  const redirects = response.type === "opaqueredirect" || response.status < 400;
  throw redirects ? leadsElsewhere(response, url) : refusal(response, await textOf(response, url), url);
}

/** The text of a body. One that is longer than any of the service is not read to its end. */
export async function textOf({ body }: Response, url: string): Promise<string> {
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for await (const part of itemsOf(body ?? [])) {
    size += part.length;
    requireLength(size, url);
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
}

/** Throws for an answer, or a line of one, that is longer than any of the service. */
export function requireLength(length: number, url: string): void {
  if (length > ANSWER_LENGTH_MAX) throw notAPlantstore(url, "more than 64 MiB");
}

function leadsElsewhere({ headers }: Response, url: string): PlantstoreUnreachable {
  const target = headers.get("location");
  const where = target ? `, to ${target}` : "";
  return new PlantstoreUnreachable("answer", `${url} leads elsewhere${where}; use the address that it leads to`);
}

/** The error in the service's Error shape. A body of another shape came from a proxy or another server. */
function refusal({ status, headers }: Response, body: string, url: string): PlantstoreError | PlantstoreUnreachable {
  const wait = retryAfterMs(headers, Date.now());
  const { error, message } = membersOf(body);
  if (typeof error === "number" && typeof message === "string") {
    const requestId = headers.get("request-id") ?? undefined;
    return new PlantstoreError(message, { error, status, requestId, retryAfterMs: wait });
  }
  if (!PASSING.has(status)) return notAPlantstore(url, `status ${status}`);
  return new PlantstoreUnreachable("gateway", `${url} has no answer of the service just now, but status ${status}`, {
    retryAfterMs: wait,
  });
}

function membersOf(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Reads a successful answer. A body that cannot be read did not come from the service. */
export function readAnswer<T>(text: string, url: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (cause) {
    throw notAPlantstore(url, "something else", cause);
  }
}

export function notAPlantstore(url: string, answered: string, cause?: unknown): PlantstoreUnreachable {
  return new PlantstoreUnreachable(
    "answer",
    `${url} answers with ${answered}, as no Plantstore does; is it the address?`,
    {
      cause,
    },
  );
}
