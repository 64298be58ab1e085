import type { AccountNumber } from "#core/plant.ts";
import type { NewEndpoint } from "#storage/webhook-endpoints.ts";
import type { EndpointProgress, LogEntry } from "#storage/webhook-outcomes.ts";

/** The progress of an enabled endpoint that a node took once and to which nothing has happened, with the given members. */
export function endpointProgress(endpoint: string, more: Partial<EndpointProgress> = {}): EndpointProgress {
  return {
    endpoint,
    revision: 2,
    position: 10n,
    status: "enabled",
    reason: undefined,
    failingSince: undefined,
    failures: 0,
    notBefore: 0,
    log: [],
    attempted: [],
    retries: [],
    replayed: [],
    replays: [],
    disabled: undefined,
    ...more,
  };
}

export const SEALED_SECRET = { hint: "whsec_a…b", sealed: "sealed", created_at: 1000, expires_at: null };

/** A new endpoint of the account, with the given members. */
export function newEndpoint(account: AccountNumber, more: Partial<NewEndpoint> = {}): NewEndpoint {
  return {
    id: `we_${crypto.randomUUID()}`,
    account,
    url: "https://shop.example.com/hook",
    types: undefined,
    description: "the shop",
    delivery: "each",
    version: "1.0.0",
    position: 10n,
    createdAt: 5000,
    ...more,
  };
}

/** The log entry of a first attempt that succeeded, with the given members. */
export function logEntry(sequence: number, more: Partial<LogEntry> = {}): LogEntry {
  return {
    sequence,
    event: `evt_${sequence}`,
    type: "plant.created",
    attempt: 1,
    isRetry: false,
    status: "succeeded",
    httpStatus: 200,
    error: undefined,
    ms: 1.4,
    at: 1_773_144_000_000,
    nextAt: undefined,
    excerpt: undefined,
    span: undefined,
    ...more,
  };
}
