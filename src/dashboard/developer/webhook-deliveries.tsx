import { Group, Menu, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import { Link } from "wouter";
import type { WebhookDelivery, WebhookEndpoint } from "#client/webhooks.ts";
import { useAnswer, useChange } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { type ShownState, StateBadge } from "../components/details.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Segments } from "../components/filters.tsx";
import { List } from "../components/list.tsx";
import { MoreMenu } from "../components/menu-target.tsx";
import { ClockTime, dayOf, RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { formatDuration } from "../text/numbers.ts";

export const WEBHOOKS = "webhooks";
export const WEBHOOKS_RENEWED_MS = 5000;

const STATUSES = { "": "All", failed: "Failed", waiting: "Retrying", succeeded: "Delivered" };
const STATES: Readonly<Record<WebhookDelivery["status"], ShownState>> = {
  failed: { word: STATUSES.failed, icon: "blocked", color: "red" },
  waiting: { word: STATUSES.waiting, icon: "clock", color: "yellow" },
  succeeded: { word: STATUSES.succeeded, icon: "check", color: "leaf" },
};

const ERRORS: Readonly<Record<string, string>> = {
  timeout: "timed out",
  dns: "host name not found",
  address_refused: "address not allowed",
  tls: "TLS connection failed",
  connect: "could not connect",
  redirect: "redirected, which is not followed",
  too_many: "too many requests for the receiver",
};

export function deliveryError(error: string | undefined): string {
  return (error && ERRORS[error]) ?? "no answer";
}

const FIRST_EVENT = "evt_0000000000001";

export function WebhookDeliveries({ webhook: { id, status } }: { readonly webhook: WebhookEndpoint }) {
  const [outcome, setOutcome] = useState<string>();
  const deliveries = useAnswer(
    [WEBHOOKS, id, "deliveries", outcome],
    async ({ client }, signal) => {
      const query = { limit: 50, status: outcome as WebhookDelivery["status"] | undefined };
      return (await client.webhooks.deliveries(id, query, { signal })).deliveries;
    },
    { refetchInterval: WEBHOOKS_RENEWED_MS },
  );
  const newest = newestAttempts(deliveries.data ?? []);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>Deliveries</Title>
        <Segments label="Deliveries" size="xs" choices={STATUSES} value={outcome ?? ""} onChange={setOutcome} />
      </Group>
      {status !== "disabled" && <DeliverAllFailed id={id} newest={newest} />}
      <List query={deliveries} rows={deliveries.data} shape={120} empty={<Text c="dimmed">No deliveries.</Text>}>
        {(rows) => (
          <ul className="members">
            {rows.map((delivery, index) => {
              const day = dayOf(delivery.at);
              const before = rows[index - 1];
              return (
                <li key={delivery.id}>
                  {(!before || day !== dayOf(before.at)) && (
                    <Text size="xs" c="dimmed" mb="xs">
                      {day}
                    </Text>
                  )}
                  <DeliveryRow endpoint={id} delivery={delivery} newest={newest.includes(delivery)} />
                </li>
              );
            })}
          </ul>
        )}
      </List>
    </Stack>
  );
}

/** The last attempt at each event. The list begins with the newest. */
function newestAttempts(deliveries: readonly WebhookDelivery[]): readonly WebhookDelivery[] {
  return deliveries.filter((delivery) => deliveries.find(({ event }) => event === delivery.event) === delivery);
}

/** Test events are not part of the feed, so they cannot be delivered again. */
function isTest({ event }: WebhookDelivery): boolean {
  return event.startsWith("evt_test");
}

/** One button for everything that failed, however long ago, and for the listed events that wait for a retry. */
function DeliverAllFailed({ id, newest }: { readonly id: string; readonly newest: readonly WebhookDelivery[] }) {
  const open = newest.filter((delivery) => delivery.status !== "succeeded" && !isTest(delivery));
  const waiting = open.filter(({ status }) => status === "waiting").map(({ event }) => event);
  const all = useChange(
    async ({ client }) => {
      if (open.length > waiting.length) await client.webhooks.replay(id, { from: FIRST_EVENT, only: "failed" });
      if (waiting.length > 0) await client.webhooks.replay(id, { events: waiting });
    },
    { changes: [WEBHOOKS] },
  );
  if (open.length < 2 && !all.isSuccess) return null;
  return (
    <>
      <Group gap="sm">
        <Action size="xs" label="Deliver all failed" change={all} />
        <Text variant="remark" role="status">
          {all.isSuccess && "They are being delivered again."}
        </Text>
      </Group>
      <FailureNotice cause={all.error} />
    </>
  );
}

interface DeliveryRowProps {
  readonly endpoint: string;
  readonly delivery: WebhookDelivery;
  /** True if no later attempt at the same event is listed. */
  readonly newest: boolean;
}

function DeliveryRow({ endpoint, delivery, newest }: DeliveryRowProps) {
  const { clock } = useService();
  const { type, event, attempt, httpStatus, error, ms, at, nextAt, responseExcerpt } = delivery;
  const again = useChange(({ client }) => client.webhooks.replay(endpoint, { events: [event] }), {
    changes: [WEBHOOKS],
  });
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <StateBadge state={STATES[delivery.status]} />
          <Text size="sm">{type}</Text>
        </Group>
        <Group gap={4} wrap="nowrap">
          <Text variant="remark" ta="end">
            <ClockTime at={at} />
          </Text>
          {!isTest(delivery) && (
            <MoreMenu label={`Actions for ${event}, attempt ${attempt}`} loading={again.isPending}>
              <Menu.Item onClick={() => again.mutate()}>Deliver again</Menu.Item>
              <Menu.Item component={Link} href={`${DEVELOPER}/events?event=${event}`}>
                Show the event
              </Menu.Item>
            </MoreMenu>
          )}
        </Group>
      </Group>
      <Text variant="remark" className="breaks">
        <span translate="no">{event}</span>, attempt {attempt}: {httpStatus ?? deliveryError(error)} after{" "}
        {formatDuration(ms)}
        {newest && nextAt && (
          <>, next attempt {nextAt.getTime() > clock.now() ? <RelativeTime at={nextAt} /> : "soon"}</>
        )}
      </Text>
      <Text size="sm" role="status">
        {again.isSuccess && "It is being delivered again."}
      </Text>
      <FailureNotice cause={again.error} />
      {responseExcerpt && (
        <details className="nested">
          <summary>Answer</summary>
          <pre translate="no" className="code-block">
            {responseExcerpt}
          </pre>
        </details>
      )}
    </Stack>
  );
}
