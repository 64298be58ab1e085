import { type ShownState, StateBadge } from "../components/state-badge.tsx";
import type { Webhook, WebhookDelivery } from "./webhooks.ts";

const ENDPOINT: Readonly<Record<Webhook["status"], ShownState>> = {
  enabled: { word: "Enabled", icon: "check", color: "leaf" },
  paused: { word: "Retrying", icon: "pause", color: "yellow" },
  disabled: { word: "Disabled", icon: "blocked", color: "red" },
};
const FAILING: ShownState = { word: "Failing", icon: "warning", color: "yellow" };

export function WebhookState({ webhook }: { readonly webhook: Webhook }) {
  const failing = webhook.status === "enabled" && webhook.failing_since !== undefined;
  return <StateBadge state={failing ? FAILING : ENDPOINT[webhook.status]} />;
}

const DELIVERY: Readonly<Record<WebhookDelivery["status"], ShownState>> = {
  succeeded: { word: "Delivered", icon: "check", color: "leaf" },
  failed: { word: "Failed", icon: "blocked", color: "red" },
  waiting: { word: "Retrying", icon: "clock", color: "yellow" },
};

export function DeliveryState({ delivery }: { readonly delivery: WebhookDelivery }) {
  return <StateBadge state={DELIVERY[delivery.status]} />;
}
