import { Alert, Button, Code, Group, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { WebhookWithSecret } from "#contract/v1/webhooks.ts";
import { useFocusReturn } from "../browser/focus-return.ts";
import { DetailsList } from "../components/details-list.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { FormEnd } from "../components/form-end.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { SidePanel } from "../components/side-panel.tsx";
import { formatDuration } from "../text/numbers.ts";
import { EditWebhook } from "./edit-webhook.tsx";
import { deliveryError, WebhookDeliveries } from "./webhook-deliveries.tsx";
import { WebhookState } from "./webhook-state.tsx";
import { askWebhooks, shownWebhookSecret, useWebhookChange, type Webhook, type WebhookDelivery } from "./webhooks.ts";

interface WebhookDetailsProps {
  readonly webhook: Webhook;
  readonly onClose: () => void;
}

/** One endpoint beside the list: its state, its actions, and its deliveries. */
export function WebhookDetails({ webhook, onClose }: WebhookDetailsProps) {
  useFocusReturn();
  return (
    <SidePanel opened onClose={onClose} size={600} title={webhook.url}>
      <Stack gap="lg">
        <Trouble webhook={webhook} />
        <DetailsList
          rows={[
            ["State", <WebhookState key="state" webhook={webhook} />],
            ...(webhook.description ? [["Description", webhook.description] as const] : []),
            ["Events", webhook.events.join(", ")],
            ["Sends", webhook.delivery === "each" ? "Each event" : "Notices"],
            ["Delay", webhook.lag_seconds < 1 ? "None" : formatDuration(webhook.lag_seconds * 1000)],
            [webhook.secrets.length === 1 ? "Secret" : "Secrets", webhook.secrets.map(({ hint }) => hint).join(", ")],
            ["Endpoint id", <Code key="id">{webhook.id}</Code>],
          ]}
        />
        <Actions webhook={webhook} onClose={onClose} />
        <WebhookDeliveries webhook={webhook} />
      </Stack>
    </SidePanel>
  );
}

const DISABLED: Readonly<Record<NonNullable<Webhook["reason"]>, string>> = {
  by_hand: "Nothing is sent to this endpoint. Enable it to continue where it stopped.",
  failing: "This endpoint failed for days and was disabled. Fix it, then enable it to continue where it stopped.",
  gone: "This endpoint answered 410 Gone and was disabled. Enable it to continue where it stopped.",
};

function Trouble({ webhook: { status, reason, failing_since } }: { readonly webhook: Webhook }) {
  if (!failing_since && status === "enabled") return null;
  const said =
    status === "disabled"
      ? DISABLED[reason ?? "by_hand"]
      : "This endpoint is failing. Plantstore keeps retrying, and no event is lost.";
  return (
    <Alert
      color={status !== "disabled" ? "yellow" : reason === "by_hand" ? "gray" : "red"}
      icon={<Icon name="warning" />}
    >
      {said}{" "}
      {failing_since && (
        <>
          First failure: <RelativeTime at={failing_since} />.
        </>
      )}
    </Alert>
  );
}

type OpenDialog = "edit" | "roll" | "remove" | undefined;

function Actions({ webhook, onClose }: WebhookDetailsProps) {
  const { id, status } = webhook;
  const [dialog, setDialog] = useState<OpenDialog>();
  const test = useWebhookChange((service) => askWebhooks<WebhookDelivery>(service, "POST", `/${id}/test`, {}));
  const change = useWebhookChange((service, form: object) => askWebhooks<Webhook>(service, "PATCH", `/${id}`, form));
  const enabled = status !== "disabled";
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <Button
          size="xs"
          loading={test.isPending}
          onClick={() => {
            change.reset();
            test.mutate(undefined);
          }}
        >
          Send a test
        </Button>
        <Button size="xs" variant="default" onClick={() => setDialog("edit")}>
          Edit
        </Button>
        <Button
          size="xs"
          variant="default"
          loading={change.isPending}
          onClick={() => {
            test.reset();
            change.mutate(enabled ? { enabled: false } : { enabled: true, resume: "where_it_stopped" });
          }}
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
          {testResult(test.data)}
        </Text>
      )}
      <FailureNotice cause={test.error ?? change.error} />
      {dialog === "edit" && <EditWebhook webhook={webhook} onClose={() => setDialog(undefined)} />}
      {dialog === "roll" && <RollSecret webhook={webhook} onClose={() => setDialog(undefined)} />}
      {dialog === "remove" && (
        <RemoveWebhook webhook={webhook} onCancel={() => setDialog(undefined)} onRemoved={onClose} />
      )}
    </Stack>
  );
}

function testResult({ http_status, error, ms }: WebhookDelivery): string {
  const answered = http_status
    ? `The test was answered with ${http_status}`
    : `The test failed: ${deliveryError(error)}`;
  return `${answered} after ${formatDuration(ms)}.`;
}

function RollSecret({ webhook, onClose }: WebhookDetailsProps) {
  useFocusReturn();
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
          <Text>
            Deliveries are signed with both secrets for 24 hours, so you can replace the old one without missing any.
          </Text>
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
  useFocusReturn();
  const remove = useWebhookChange((service) => askWebhooks(service, "DELETE", `/${webhook.id}`));
  return (
    <Dialog opened onClose={onCancel} title="Remove this endpoint?">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          remove.mutate(undefined, { onSuccess: onRemoved });
        }}
      >
        <Stack>
          <Text className="breaks">
            Plantstore stops sending events to {webhook.url}, and its deliveries are removed from the log.
          </Text>
          <FormEnd mutation={remove} label="Remove" color="red" onCancel={onCancel} />
        </Stack>
      </form>
    </Dialog>
  );
}
