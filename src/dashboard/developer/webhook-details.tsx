import { Alert, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { WebhookChange, WebhookDelivery, WebhookEndpoint } from "#client/webhooks.ts";
import { useChange } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { DetailsList, type ShownState, StateBadge } from "../components/details.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Question } from "../components/form-dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { formatDuration } from "../text/numbers.ts";
import { deliveryError, WEBHOOKS, WebhookDeliveries } from "./webhook-deliveries.tsx";
import { EditWebhook, RollSecret, type WebhookProps } from "./webhook-form.tsx";

export function delayText(seconds: number, none: string): string {
  return seconds < 1 ? none : formatDuration(seconds * 1000);
}

const STATES: Readonly<Record<WebhookEndpoint["status"] | "failing", ShownState>> = {
  enabled: { word: "Enabled", icon: "check", color: "leaf" },
  failing: { word: "Failing", icon: "warning", color: "yellow" },
  paused: { word: "Retrying", icon: "pause", color: "yellow" },
  disabled: { word: "Disabled", icon: "blocked", color: "red" },
};

export function WebhookState({ status, failingSince }: WebhookEndpoint) {
  return <StateBadge state={STATES[status === "enabled" && failingSince ? "failing" : status]} />;
}

export function WebhookDetails({ webhook, onClose }: WebhookProps) {
  const { id, url, description, events, delivery, lagSeconds, secrets } = webhook;
  return (
    <SidePanel onClose={onClose} size={600} title={<span translate="no">{url}</span>}>
      <Stack gap="lg">
        <Trouble webhook={webhook} />
        <DetailsList
          of={{
            State: <WebhookState {...webhook} />,
            Description: description && <bdi translate="no">{description}</bdi>,
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

function Trouble({
  webhook: { status, reason = "by_hand", failingSince, nextAt },
}: {
  readonly webhook: WebhookEndpoint;
}) {
  if (!failingSince && status === "enabled") return null;
  const disabled = status === "disabled";
  return (
    <Alert
      color={!disabled ? "yellow" : reason === "by_hand" ? "gray" : "red"}
      icon={<Icon name={STATES[disabled ? "disabled" : "failing"].icon} />}
    >
      {disabled ? DISABLED[reason] : "This endpoint is failing. Plantstore keeps retrying, and no event is lost."}{" "}
      {failingSince && <>First failure: {<RelativeTime at={failingSince} />}.</>}
      {nextAt && <> Next attempt: {<RelativeTime at={nextAt} />}.</>}
    </Alert>
  );
}

function Actions({ webhook, onClose }: WebhookProps) {
  const { id, url, status } = webhook;
  const [dialog, setDialog] = useState<"edit" | "roll" | "remove">();
  const close = () => setDialog(undefined);
  const changes = [WEBHOOKS];
  // One change for both, since the outcome of the one says nothing any more after the other.
  const act = useChange(
    ({ client }, asked: WebhookChange | "test"): Promise<WebhookDelivery | WebhookEndpoint> =>
      asked === "test" ? client.webhooks.test(id) : client.webhooks.change(id, asked),
    { changes },
  );
  const button = (label: string, asked: WebhookChange | "test") => ({
    label,
    loading: act.isPending && (act.variables === "test") === (asked === "test"),
    onClick: () => act.mutate(asked),
  });
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Action kind="main" size="xs" {...button("Send a test", "test")} />
        <Action size="xs" label="Edit" onClick={() => setDialog("edit")} />
        {status === "disabled" ? (
          <Action size="xs" {...button("Enable", { enabled: true, resume: "where_it_stopped" })} />
        ) : (
          <Action size="xs" {...button("Disable", { enabled: false })} />
        )}
        <Action size="xs" label="Roll secret" onClick={() => setDialog("roll")} />
        <Action kind="risky" size="xs" label="Remove" onClick={() => setDialog("remove")} />
      </Group>
      {act.data && "event" in act.data && (
        <Text size="sm" role="status">
          {testResult(act.data)}
        </Text>
      )}
      <FailureNotice cause={act.error} />
      {dialog === "edit" && <EditWebhook webhook={webhook} onClose={close} />}
      {dialog === "roll" && <RollSecret id={id} onClose={close} />}
      {dialog === "remove" && (
        <Question
          title="Remove this endpoint?"
          label="Remove"
          send={({ client }) => client.webhooks.remove(id)}
          changes={changes}
          // Its row is gone by then, so that the focus is not returned to it.
          done={(_, renewed) => renewed.then(onClose)}
          onClose={close}
        >
          <Text className="breaks">
            Plantstore stops sending events to <span translate="no">{url}</span>, and its deliveries are removed from
            the log.
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
