import type { EndpointProgress } from "#storage/webhook-progress.ts";

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
    retries: [],
    over: [],
    replays: [],
    disabled: undefined,
    ...more,
  };
}
