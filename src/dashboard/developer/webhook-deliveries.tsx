import { ActionIcon, Button, Group, Menu, SegmentedControl, Skeleton, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { DEVELOPER } from "../program/page-addresses.ts";
import { useService } from "../program/page-context.tsx";
import { formatDuration } from "../text/numbers.ts";
import { DeliveryState } from "./webhook-state.tsx";
import { askWebhooks, useDeliveries, useWebhookChange, type Webhook, type WebhookDelivery } from "./webhooks.ts";

const STATUSES = [
  { value: "", label: "All" },
  { value: "failed", label: "Failed" },
  { value: "waiting", label: "Retrying" },
  { value: "succeeded", label: "Delivered" },
];

const ERRORS: Readonly<Record<string, string>> = {
  timeout: "timed out",
  dns: "host name not found",
  address_refused: "address not allowed",
  tls: "TLS connection failed",
  connect: "could not connect",
  redirect: "redirected, which is not followed",
  too_many: "too many requests for the receiver",
};

/** The reason why an attempt got no answer. */
export function deliveryError(error: string | undefined): string {
  return (error && ERRORS[error]) ?? "no answer";
}

const FIRST_EVENT = "evt_0000000000001";

/** The log of an endpoint's deliveries, each attempt with its answer. */
export function WebhookDeliveries({ webhook }: { readonly webhook: Webhook }) {
  const [status, setStatus] = useState("");
  const deliveries = useDeliveries(webhook.id, status);
  const newest = newestAttempts(deliveries.data ?? []);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>Deliveries</Title>
        <SegmentedControl aria-label="Deliveries" size="xs" data={STATUSES} value={status} onChange={setStatus} />
      </Group>
      {webhook.status !== "disabled" && <DeliverAllFailed webhook={webhook} newest={[...newest]} />}
      <FailureNotice cause={deliveries.error} retry={() => deliveries.refetch()} />
      {deliveries.isPending && <Skeleton h={120} className="late" />}
      {deliveries.data?.length === 0 && <Text c="dimmed">No deliveries.</Text>}
      <ul className="members">
        {deliveries.data?.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow webhook={webhook} delivery={delivery} newest={newest.has(delivery)} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

/** The last attempt at each event. The list begins with the newest. */
function newestAttempts(deliveries: readonly WebhookDelivery[]): ReadonlySet<WebhookDelivery> {
  const byEvent = new Map<string, WebhookDelivery>();
  for (const delivery of deliveries) if (!byEvent.has(delivery.event)) byEvent.set(delivery.event, delivery);
  return new Set(byEvent.values());
}

/** Test events are not part of the feed, so they cannot be delivered again. */
function canRepeat({ event, status }: WebhookDelivery): boolean {
  return status !== "succeeded" && !event.startsWith("evt_test");
}

interface DeliverAllFailedProps {
  readonly webhook: Webhook;
  readonly newest: readonly WebhookDelivery[];
}

/** One button for everything that failed, however long ago, and for the listed events that wait for a retry. */
function DeliverAllFailed({ webhook, newest }: DeliverAllFailedProps) {
  const open = newest.filter(canRepeat);
  const waiting = open.filter(({ status }) => status === "waiting").map(({ event }) => event);
  const all = useWebhookChange(async (service) => {
    const replay = (body: object) => askWebhooks(service, "POST", `/${webhook.id}/replay`, body);
    if (open.length > waiting.length) await replay({ from: FIRST_EVENT, only: "failed" });
    if (waiting.length > 0) await replay({ events: waiting });
  });
  if (open.length < 2 && !all.isSuccess) return null;
  return (
    <>
      <Group gap="sm">
        <Button size="xs" variant="default" loading={all.isPending} onClick={() => all.mutate(undefined)}>
          Deliver all failed
        </Button>
        <Text size="sm" c="dimmed" role="status">
          {all.isSuccess && "They are being delivered again."}
        </Text>
      </Group>
      <FailureNotice cause={all.error} />
    </>
  );
}

interface DeliveryRowProps {
  readonly webhook: Webhook;
  readonly delivery: WebhookDelivery;
  /** True if no later attempt at the same event is listed. */
  readonly newest: boolean;
}

function DeliveryRow({ webhook, delivery, newest }: DeliveryRowProps) {
  const { clock } = useService();
  const again = useWebhookChange((service) =>
    askWebhooks(service, "POST", `/${webhook.id}/replay`, { events: [delivery.event] }),
  );
  const { type, event, attempt, http_status, error, ms, at, next_at, response_excerpt } = delivery;
  const repeatable = newest && canRepeat(delivery);
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs" wrap="nowrap">
        <Group gap="xs">
          <DeliveryState delivery={delivery} />
          <Text size="sm">{type}</Text>
        </Group>
        <Group gap={4} wrap="nowrap">
          <Text size="sm" c="dimmed" ta="end">
            <RelativeTime at={at} />
          </Text>
          {!event.startsWith("evt_test") && (
            <Menu position="bottom-end" keepMounted={false}>
              <Menu.Target>
                <ActionIcon size="md" aria-label={`Actions for ${event}, attempt ${attempt}`} loading={again.isPending}>
                  <Icon name="more" />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {repeatable && <Menu.Item onClick={() => again.mutate(undefined)}>Deliver again</Menu.Item>}
                <Menu.Item component={Link} href={`${DEVELOPER}/events?event=${event}`}>
                  Show the event
                </Menu.Item>
              </Menu.Dropdown>
            </Menu>
          )}
        </Group>
      </Group>
      <Text size="sm" c="dimmed" className="breaks figures">
        {event}, attempt {attempt}: {http_status ?? deliveryError(error)} after {formatDuration(ms)}
        {newest && next_at && (
          <>, next attempt {Date.parse(next_at) > clock.now() ? <RelativeTime at={next_at} /> : "soon"}</>
        )}
      </Text>
      <Text size="sm" role="status">
        {again.isSuccess && "It is being delivered again."}
      </Text>
      <FailureNotice cause={again.error} />
      {response_excerpt && (
        <details className="nested">
          <summary>Answer</summary>
          <pre className="code-block">{response_excerpt}</pre>
        </details>
      )}
    </Stack>
  );
}
