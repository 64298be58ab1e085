import type { WebhookDelivery, WebhookEndpoint } from "#client/webhooks.ts";
import { useAnswer } from "../api/asking.ts";
import { type ShownState, StateBadge } from "../components/details.tsx";
import type { ShownSecret } from "../components/secret-dialog.tsx";
import { formatDuration } from "../text/numbers.ts";

/** The key of all data about webhooks. */
export const WEBHOOKS = "webhooks";
const RENEWED_MS = 5000;
const DELIVERIES_LENGTH = 50;

export function useWebhooks() {
  return useAnswer([WEBHOOKS], ({ client }, signal) => client.webhooks.list({ signal }), {
    refetchInterval: RENEWED_MS,
  });
}

/** An endpoint's latest attempts to deliver, of one outcome or of every. */
export function useDeliveries(id: string, status: WebhookDelivery["status"] | undefined) {
  return useAnswer(
    [WEBHOOKS, id, "deliveries", status],
    async ({ client }, signal) => {
      const query = { limit: DELIVERIES_LENGTH, status };
      return (await client.webhooks.deliveries(id, query, { signal })).deliveries;
    },
    { refetchInterval: RENEWED_MS },
  );
}

export function shownWebhookSecret(secret: string): ShownSecret {
  return {
    what: "signing secret",
    title: "Signing secret",
    warning:
      "Copy it now: it is not shown again. Your receiver verifies with it that a delivery comes from Plantstore.",
    values: [secret],
    file: { name: "plantstore-webhook.env", label: "Download .env", content: `PLANTSTORE_WEBHOOK_SECRET=${secret}\n` },
  };
}

/** How far an endpoint is behind the events. */
export function delayText(seconds: number, none: string): string {
  return seconds < 1 ? none : formatDuration(seconds * 1000);
}

const ENDPOINT: Readonly<Record<WebhookEndpoint["status"], ShownState>> = {
  enabled: { word: "Enabled", icon: "check", color: "leaf" },
  paused: { word: "Retrying", icon: "pause", color: "yellow" },
  disabled: { word: "Disabled", icon: "blocked", color: "red" },
};
const FAILING: ShownState = { word: "Failing", icon: "warning", color: "yellow" };

export function WebhookState({ webhook: { status, failingSince } }: { readonly webhook: WebhookEndpoint }) {
  return <StateBadge state={status === "enabled" && failingSince ? FAILING : ENDPOINT[status]} />;
}

const DELIVERY: Readonly<Record<WebhookDelivery["status"], ShownState>> = {
  succeeded: { word: "Delivered", icon: "check", color: "leaf" },
  failed: { word: "Failed", icon: "blocked", color: "red" },
  waiting: { word: "Retrying", icon: "clock", color: "yellow" },
};

export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }) {
  return <StateBadge state={DELIVERY[delivery.status]} />;
}
