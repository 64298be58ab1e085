import { retryAfterMs } from "./backoff.ts";
import { PlantstoreError, PlantstoreUnreachable } from "./error.ts";

const NOT_MODIFIED = 304;

/** Throws what a response other than a success means; reads its body. */
export async function refuseUnlessSuccess(response: Response, url: string): Promise<void> {
  if (response.ok || response.status === NOT_MODIFIED) return;
  if (response.type === "opaqueredirect" || response.status < 400) {
    const target = response.headers.get("location");
    throw new PlantstoreUnreachable(
      "answer",
      `${url} leads elsewhere${target ? `, to ${target}` : ""}; use the address that it leads to`,
    );
  }
  throw refusal(response, await response.text(), url);
}

/** What the service's Error shape says; what has another shape came from something between. */
function refusal({ status, headers }: Response, body: string, url: string): PlantstoreError {
  const circumstances = {
    status,
    requestId: headers.get("request-id") ?? undefined,
    retryAfterMs: retryAfterMs(headers, Date.now()),
  };
  const { error, message } = membersOf(body);
  if (typeof error === "number" && typeof message === "string") {
    return new PlantstoreError(message, { error, ...circumstances });
  }
  const unknown = `${url} answered with status ${status}, and not as a Plantstore does`;
  return new PlantstoreError(unknown, { error: status * 100 + 1, ...circumstances });
}

function membersOf(body: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(body));
  } catch {
    return {};
  }
}

/** Reads a success. What cannot be read so came from something else than the service. */
export function readAnswer<T>(text: string, url: string, read: (text: string) => T): T {
  try {
    return read(text);
  } catch (error) {
    throw notAPlantstore(url, error);
  }
}

export function notAPlantstore(url: string, cause?: unknown): PlantstoreUnreachable {
  return new PlantstoreUnreachable("answer", `${url} does not answer as a Plantstore does; is it the address?`, cause);
}
