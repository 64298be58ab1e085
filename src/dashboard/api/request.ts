import { z } from "zod";
import { DASHBOARD_ERRORS } from "#contract/dashboard-errors.ts";
import { Signal } from "../signal.ts";
import { learnClock } from "./clock.ts";
import { reportLost } from "./connection.ts";
import { RequestFailure } from "./failure.ts";

const ErrorShape = z.object({ error: z.int(), message: z.string() });

/** True once the service said that the session is over; the reader signs in again over the page as it stands. */
export const sessionEnded = new Signal(false);

type Method = "GET" | "POST" | "PATCH";

/** A request of the dashboard's own routes or of `/auth`, its answer checked; throws RequestFailure. */
export async function request<Schema extends z.ZodType>(
  method: Method,
  address: string,
  schema: Schema,
  body?: unknown,
): Promise<z.output<Schema>> {
  const response = await send(method, address, body);
  learnClock(response.headers);
  if (!response.ok) throw await refusal(response);
  const answer = response.status === 204 ? undefined : await response.json().catch(() => undefined);
  const parsed = schema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw new RequestFailure(
    response.status,
    undefined,
    "The service answered in a way this page does not know; reload the page",
    response.headers.get("request-id") ?? undefined,
  );
}

/** The same below /dashboard/api. */
export function api<Schema extends z.ZodType>(method: Method, path: string, schema: Schema, body?: unknown) {
  return request(method, `/dashboard/api${path}`, schema, body);
}

async function send(method: Method, address: string, body: unknown): Promise<Response> {
  const init: RequestInit = { method, credentials: "same-origin", cache: "no-store" };
  if (method !== "GET") {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(body ?? {});
  }
  try {
    return await fetch(address, init);
  } catch {
    reportLost();
    throw new RequestFailure(
      0,
      undefined,
      "The service did not answer. Check the connection; nothing that was typed is lost.",
      undefined,
    );
  }
}

async function refusal(response: Response): Promise<RequestFailure> {
  const parsed = ErrorShape.safeParse(await response.json().catch(() => undefined));
  const requestId = response.headers.get("request-id") ?? undefined;
  if (!parsed.success) {
    return new RequestFailure(response.status, undefined, `The service answered ${response.status}`, requestId);
  }
  const { error, message } = parsed.data;
  if (error === DASHBOARD_ERRORS["session-missing"].error) sessionEnded.set(true);
  return new RequestFailure(response.status, error, message, requestId);
}
