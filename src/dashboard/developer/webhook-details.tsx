import { Alert, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { WebhookChange, WebhookDelivery, WebhookEndpoint } from "#client/webhooks.ts";
import { useChange } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { DetailsList } from "../components/details.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Form, useForm } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { Question } from "../components/question.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { formatDuration } from "../text/numbers.ts";
import { deliveryError, WebhookDeliveries } from "./webhook-deliveries.tsx";
import { EditWebhook } from "./webhook-form.tsx";
import { delayText, shownWebhookSecret, WEBHOOKS, WebhookState } from "./webhooks.tsx";

interface WebhookDetailsProps {
  readonly webhook: WebhookEndpoint;
  readonly onClose: () => void;
}

/** One endpoint beside the list: its state, its actions, and its deliveries. */
export function WebhookDetails({ webhook, onClose }: WebhookDetailsProps) {
  const { id, url, description, events, delivery, lagSeconds, secrets } = webhook;
  return (
    <SidePanel onClose={onClose} size={600} title={url}>
      <Stack gap="lg">
        <Trouble webhook={webhook} />
        <DetailsList
          of={{
            State: <WebhookState webhook={webhook} />,
            Description: description,
            Events: events.join(", "),
            Sends: delivery === "each" ? "Each event" : "Notices",
            Delay: delayText(lagSeconds, "None"),
            [secrets.length === 1 ? "Secret" : "Secrets"]: secrets.map(({ hint }) => hint).join(", "),
            "Endpoint id": <Code>{id}</Code>,
          }}
        />
        <Actions webhook={webhook} onClose={onClose} />
        <WebhookDeliveries webhook={webhook} />
      </Stack>
    </SidePanel>
  );
}

const DISABLED: Readonly<Record<NonNullable<WebhookEndpoint["reason"]>, string>> = {
  by_hand: "Nothing is sent to this endpoint. Enable it to continue where it stopped.",
  failing: "This endpoint failed for days and was disabled. Fix it, then enable it to continue where it stopped.",
  gone: "This endpoint answered 410 Gone and was disabled. Enable it to continue where it stopped.",
};

function Trouble({ webhook: { status, reason = "by_hand", failingSince } }: { readonly webhook: WebhookEndpoint }) {
  if (!failingSince && status === "enabled") return null;
  const disabled = status === "disabled";
  return (
    <Alert color={!disabled ? "yellow" : reason === "by_hand" ? "gray" : "red"} icon={<Icon name="warning" />}>
      {disabled ? DISABLED[reason] : "This endpoint is failing. Plantstore keeps retrying, and no event is lost."}{" "}
      {failingSince && <>First failure: {<RelativeTime at={failingSince} />}.</>}
    </Alert>
  );
}

function Actions({ webhook, onClose }: WebhookDetailsProps) {
  const { id, url, status } = webhook;
  const [dialog, setDialog] = useState<"edit" | "roll" | "remove">();
  const close = () => setDialog(undefined);
  const changes = [WEBHOOKS];
  const test = useChange(({ client }) => client.webhooks.test(id), { changes });
  const set = useChange(({ client }, change: WebhookChange) => client.webhooks.change(id, change), { changes });
  const enabled = status !== "disabled";
  // The outcome of the one says nothing any more after the other.
  const sendTest = () => {
    set.reset();
    test.mutate();
  };
  const toggle = () => {
    test.reset();
    set.mutate(enabled ? { enabled: false } : { enabled: true, resume: "where_it_stopped" });
  };
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Action kind="main" size="xs" label="Send a test" change={test} onClick={sendTest} />
        <Action size="xs" label="Edit" onClick={() => setDialog("edit")} />
        <Action size="xs" label={enabled ? "Disable" : "Enable"} loading={set.isPending} onClick={toggle} />
        <Action size="xs" label="Roll secret" onClick={() => setDialog("roll")} />
        <Action kind="risky" size="xs" label="Remove" onClick={() => setDialog("remove")} />
      </Group>
      {test.data && (
        <Text size="sm" role="status">
          {testResult(test.data)}
        </Text>
      )}
      <FailureNotice cause={test.error ?? set.error} />
      {dialog === "edit" && <EditWebhook webhook={webhook} onClose={close} />}
      {dialog === "roll" && <RollSecret id={id} onClose={close} />}
      {dialog === "remove" && (
        <Question
          title="Remove this endpoint?"
          label="Remove"
          send={({ client }) => client.webhooks.remove(id)}
          changes={changes}
          done={onClose}
          onClose={close}
        >
          <Text className="breaks">
            Plantstore stops sending events to {url}, and its deliveries are removed from the log.
          </Text>
        </Question>
      )}
    </Stack>
  );
}

function testResult({ httpStatus, error, ms }: WebhookDelivery): string {
  const answered = httpStatus ? `The test was answered with ${httpStatus}` : `The test failed: ${deliveryError(error)}`;
  return `${answered} after ${formatDuration(ms)}.`;
}

function RollSecret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const form = useForm({ initial: {}, send: ({ client }) => client.webhooks.rollSecret(id), changes: [WEBHOOKS] });
  const secret = form.data && shownWebhookSecret(form.data.secret);
  return (
    <SecretDialog title="Roll the signing secret?" secret={secret} onClose={onClose}>
      <Form form={form} label="Roll secret" failure="The secret could not be rolled" onCancel={onClose}>
        <Text>
          Deliveries are signed with both secrets for 24 hours, so you can replace the old one without missing any.
        </Text>
      </Form>
    </SecretDialog>
  );
}
