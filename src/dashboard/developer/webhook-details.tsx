import {
  Alert,
  Button,
  Code,
  Drawer,
  Group,
  Modal,
  SegmentedControl,
  Skeleton,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useState } from "react";
import type { WebhookWithSecret } from "#contract/v1/webhooks.ts";
import { DetailsList } from "../details-list.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { FormEnd } from "../form-end.tsx";
import { Icon } from "../icon.tsx";
import { formatDuration } from "../numbers.ts";
import { RelativeTime } from "../relative-time.tsx";
import { SecretDialog } from "../secret-dialog.tsx";
import { DeliveryState, WebhookState } from "./webhook-state.tsx";
import {
  askWebhooks,
  shownWebhookSecret,
  useDeliveries,
  useWebhookChange,
  type Webhook,
  type WebhookDelivery,
} from "./webhooks.ts";

interface WebhookDetailsProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** One endpoint beside the list: its state, what can be done with it, and its deliveries. */
export function WebhookDetails({ webhook, onClose }: WebhookDetailsProps) {
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={600}
      title={webhook.url}
      closeButtonProps={{ "aria-label": "Close" }}
      overlayProps={{ opacity: 0.35 }}
    >
      <Stack gap="lg">
        <Trouble webhook={webhook} />
        <DetailsList
          rows={[
            ["State", <WebhookState key="state" webhook={webhook} />],
            ...(webhook.description ? [["Description", webhook.description] as const] : []),
            ["Events", webhook.events.join(", ")],
            ["Deliveries", webhook.delivery === "each" ? "Each event" : "Notices"],
            ["Behind by", webhook.lag_seconds < 1 ? "Nothing" : formatDuration(webhook.lag_seconds * 1000)],
            ["Secrets", webhook.secrets.map(({ hint }) => hint).join(", ")],
            ["Endpoint id", <Code key="id">{webhook.id}</Code>],
          ]}
        />
        <Actions webhook={webhook} onClose={onClose} />
        <Deliveries webhook={webhook} />
      </Stack>
    </Drawer>
  );
}

function Trouble({ webhook: { status, reason, failing_since } }: { readonly webhook: Webhook }) {
  if (!failing_since && status === "enabled") return null;
  const said =
    status === "disabled"
      ? reason === "by_hand"
        ? "Nothing is sent. Enable it to go on where it stopped."
        : "It failed for days and was disabled. Mend the receiver, then enable it: it goes on where it stopped."
      : "The receiver fails. Plantstore tries again by itself, and nothing is lost.";
  return (
    <Alert color={status === "disabled" ? "red" : "yellow"} icon={<Icon name="warning" />}>
      {said}{" "}
      {failing_since && (
        <>
          It began to fail <RelativeTime at={failing_since} />.
        </>
      )}
    </Alert>
  );
}

type Dialog = "roll" | "remove" | undefined;

function Actions({ webhook, onClose }: WebhookDetailsProps) {
  const { id, status } = webhook;
  const [dialog, setDialog] = useState<Dialog>();
  const test = useWebhookChange((service) => askWebhooks<WebhookDelivery>(service, "POST", `/${id}/test`, {}));
  const change = useWebhookChange((service, form: object) => askWebhooks<Webhook>(service, "PATCH", `/${id}`, form));
  const enabled = status !== "disabled";
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button size="xs" loading={test.isPending} onClick={() => test.mutate(undefined)}>
          Send a test
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => change.mutate(enabled ? { enabled: false } : { enabled: true, resume: "where_it_stopped" })}
        >
          {enabled ? "Disable" : "Enable"}
        </Button>
        <Button size="xs" variant="default" onClick={() => setDialog("roll")}>
          Roll secret
        </Button>
        <Button
          size="xs"
          variant="outline"
          color="red"
          c="var(--mantine-color-error)"
          onClick={() => setDialog("remove")}
        >
          Remove
        </Button>
      </Group>
      {test.data && (
        <Text size="sm" role="status">
          The test was answered with {test.data.http_status ?? test.data.error ?? "nothing"} after{" "}
          {formatDuration(test.data.ms)}.
        </Text>
      )}
      <FailureNotice cause={test.error ?? change.error} />
      {dialog === "roll" && <RollSecret webhook={webhook} onClose={() => setDialog(undefined)} />}
      {dialog === "remove" && (
        <RemoveWebhook webhook={webhook} onCancel={() => setDialog(undefined)} onRemoved={onClose} />
      )}
    </Stack>
  );
}

function RollSecret({ webhook, onClose }: WebhookDetailsProps) {
  const [secret, setSecret] = useState<string>();
  const roll = useWebhookChange((service) =>
    askWebhooks<WebhookWithSecret>(service, "POST", `/${webhook.id}/secret`, {}),
  );
  return (
    <SecretDialog
      opened
      title="Roll the signing secret?"
      secret={secret === undefined ? undefined : shownWebhookSecret(secret)}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          roll.mutate(undefined, { onSuccess: (rolled) => setSecret(rolled.secret) });
        }}
      >
        <Stack>
          <Text>Deliveries are signed with both secrets for 24 hours, so that your receiver can change over.</Text>
          <FormEnd mutation={roll} label="Roll secret" failure="The secret could not be rolled" onCancel={onClose} />
        </Stack>
      </form>
    </SecretDialog>
  );
}

interface RemoveWebhookProps {
  readonly webhook: Webhook;
  readonly onCancel: () => void;
  readonly onRemoved: () => void;
}

function RemoveWebhook({ webhook, onCancel, onRemoved }: RemoveWebhookProps) {
  const remove = useWebhookChange((service) => askWebhooks(service, "DELETE", `/${webhook.id}`));
  return (
    <Modal opened onClose={onCancel} title="Remove this endpoint?">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate(undefined, { onSuccess: onRemoved });
        }}
      >
        <Stack>
          <Text className="breaks">Nothing more is sent to {webhook.url}, and its log of deliveries is removed.</Text>
          <FormEnd mutation={remove} label="Remove" color="red" onCancel={onCancel} />
        </Stack>
      </form>
    </Modal>
  );
}

const STATUSES = [
  { value: "", label: "All" },
  { value: "failed", label: "Failed" },
  { value: "waiting", label: "Retrying" },
  { value: "succeeded", label: "Delivered" },
];

function Deliveries({ webhook }: { readonly webhook: Webhook }) {
  const [status, setStatus] = useState("");
  const deliveries = useDeliveries(webhook.id, status);
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={3}>Deliveries</Title>
        <SegmentedControl aria-label="Deliveries" size="xs" data={STATUSES} value={status} onChange={setStatus} />
      </Group>
      <FailureNotice cause={deliveries.error} retry={() => deliveries.refetch()} />
      {deliveries.isPending && <Skeleton h={120} className="late" />}
      {deliveries.data?.length === 0 && <Text c="dimmed">No deliveries.</Text>}
      <ul className="members">
        {deliveries.data?.map((delivery) => (
          <li key={delivery.id}>
            <DeliveryRow webhook={webhook} delivery={delivery} />
          </li>
        ))}
      </ul>
    </Stack>
  );
}

interface DeliveryRowProps {
  readonly webhook: Webhook;
  readonly delivery: WebhookDelivery;
}

function DeliveryRow({ webhook, delivery }: DeliveryRowProps) {
  const again = useWebhookChange((service) =>
    askWebhooks(service, "POST", `/${webhook.id}/replay`, { events: [delivery.event] }),
  );
  const { type, event, attempt, http_status, error, ms, at, next_at, response_excerpt } = delivery;
  return (
    <Stack gap={4}>
      <Group justify="space-between" gap="xs">
        <Group gap="xs">
          <DeliveryState delivery={delivery} />
          <Text size="sm">{type}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          <RelativeTime at={at} />
        </Text>
      </Group>
      <Text size="sm" c="dimmed" className="breaks figures">
        {event}, attempt {attempt}: {http_status ?? error ?? "no answer"} after {formatDuration(ms)}
        {next_at && (
          <>
            , next <RelativeTime at={next_at} />
          </>
        )}
      </Text>
      {delivery.status !== "succeeded" && !event.startsWith("evt_test") && (
        <Group gap="xs">
          <Button
            size="compact-sm"
            variant="default"
            loading={again.isPending}
            disabled={again.isSuccess}
            onClick={() => again.mutate(undefined)}
          >
            {again.isSuccess ? "Sent again" : "Deliver again"}
          </Button>
        </Group>
      )}
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
