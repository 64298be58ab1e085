import type { RequestRecord } from "#contract/dashboard/requests.ts";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import type { Webhook, WebhookDelivery } from "#contract/v1/webhooks.ts";

/** |Records in the form in which the service sends them to the dashboard, for component tests. */

const AT = "2026-03-01T00:00:00.000Z";

export function tokenRecord(more: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id: "tok_1",
    name: "Greenhouse import",
    hint: "plant_4fQa…x81Z",
    scopes: ["plants:read", "plants:write"],
    created_at: AT,
    last_used_at: null,
    expires_at: null,
    revoked_at: null,
    state: "active",
    made_by: null,
    ...more,
  };
}

export function webhookRecord(more: Partial<Webhook> = {}): Webhook {
  return {
    id: "whk_1",
    url: "https://shop.example/plants",
    description: "Shop",
    events: ["plant.created"],
    delivery: "each",
    version: "1.0.0",
    status: "enabled",
    lag_seconds: 0,
    position: "cur_1",
    secrets: [{ hint: "whsec_…abc", created_at: AT }],
    created_at: AT,
    updated_at: AT,
    ...more,
  };
}

/** The first attempt to deliver an event, which was answered 500. */
export function deliveryRecord(id: string, more: Partial<WebhookDelivery> = {}): WebhookDelivery {
  return {
    id: `dlv_${id}`,
    event: `evt_${id}`,
    type: "plant.created",
    attempt: 1,
    status: "failed",
    http_status: 500,
    ms: 12,
    at: AT,
    ...more,
  };
}

export function requestRecord(more: Partial<RequestRecord> = {}): RequestRecord {
  return {
    request_id: "req_1",
    at: AT,
    method: "GET",
    path: "/v1/plants/7",
    status: 200,
    ms: 1.5,
    token: { id: "tok_1", name: "Greenhouse import" },
    agent: "",
    bytes_in: null,
    ...more,
  };
}

/** A plant as JSON text, since its id may be beyond 2^53. */
export function plantText(id: string, name: string, tag?: string, at = AT): string {
  return JSON.stringify({ id: 0, name, tag, created_at: at, updated_at: at }).replace('"id":0', `"id":${id}`);
}

export function plantPageText(plants: readonly string[], next: string | null = null): string {
  return `{"data":[${plants.join(",")}],"next_cursor":${JSON.stringify(next)}}`;
}

const TOTALS = { requests: 24, created: 20, other: 4, errors: 3, p50_ms: 2, p99_ms: 30 };

/** One hour with 20 creates, 4 other requests and 3 errors. */
export function usageRecord(more: Partial<Usage> = {}): Usage {
  return {
    buckets: [{ start: "2026-03-10T12:00:00.000Z", end: "2026-03-10T13:00:00.000Z", ...TOTALS }],
    totals: TOTALS,
    requests: 24,
    before: { ...TOTALS, p50_ms: 4, p99_ms: null },
    errors: [{ error: 40901, count: 3 }],
    ...more,
  };
}

/** The answer to a bulk removal of one plant. */
export const REMOVED = { removed: 1, missing: 0, failed: 0, errors: [] };

/** Where the feed ends before a removal: at `before`. */
export const LATEST_EVENT = {
  "GET /dashboard/api/v1/events": { data: [], next_cursor: "before", has_more: false },
};
