import { Checkbox, Stack, Text, TextInput } from "@mantine/core";
import type { ComponentProps } from "react";
import type { EventType } from "#client/event.ts";
import type { NewWebhook, WebhookEndpoint } from "#client/webhooks.ts";
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from "#contract/limits.ts";
import { Dialog } from "../components/dialog.tsx";
import { Radios } from "../components/filters.tsx";
import { Form, type FormFields, type SentForm, useForm } from "../components/form.tsx";
import { SecretDialog, type ShownSecret } from "../components/secret-dialog.tsx";
import { WEBHOOKS } from "./webhook-deliveries.tsx";

const EVENTS = { "plant.created": "Plant created", "plant.changed": "Plant changed", "plant.removed": "Plant removed" };
const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

const DELIVERIES = {
  each: { label: "Each event", meaning: "One request for each event" },
  notice: {
    label: "Notices",
    meaning: "At most one request per second, with the place in the event feed to continue from",
  },
};

type Members = Pick<Required<NewWebhook>, "url" | "description" | "events" | "delivery">;

const EMPTY: Members = { url: "", description: "", events: EVENT_TYPES, delivery: "each" };

export interface WebhookProps {
  readonly webhook: WebhookEndpoint;
  readonly onClose: () => void;
}

export function CreateWebhook({ onClose }: { readonly onClose: () => void }) {
  const form = useForm({
    draft: "new-webhook",
    initial: EMPTY,
    send: ({ client }, members) => client.webhooks.create(members),
    changes: [WEBHOOKS],
  });
  return (
    <SecretDialog title="Add endpoint" secret={shownSecret(form.data)} onClose={onClose}>
      <WebhookForm form={form} label="Add endpoint" failure="The endpoint could not be added" onCancel={onClose} />
    </SecretDialog>
  );
}

export function RollSecret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const form = useForm({ initial: {}, send: ({ client }) => client.webhooks.rollSecret(id), changes: [WEBHOOKS] });
  return (
    <SecretDialog title="Roll the signing secret?" secret={shownSecret(form.data)} onClose={onClose}>
      <Form form={form} label="Roll secret" failure="The secret could not be rolled" onCancel={onClose}>
        <Text>
          Deliveries are signed with both secrets for 24 hours, so you can replace the old one without missing any.
        </Text>
      </Form>
    </SecretDialog>
  );
}

function shownSecret(made: { readonly secret: string } | undefined): ShownSecret | undefined {
  return (
    made && {
      what: "signing secret",
      title: "Signing secret",
      warning:
        "Copy it now: it is not shown again. Your receiver verifies with it that a delivery comes from Plantstore.",
      values: [made.secret],
      file: { name: "plantstore-webhook.env", content: `PLANTSTORE_WEBHOOK_SECRET=${made.secret}\n` },
    }
  );
}

/**
 * The dialog that changes an endpoint; its secret and its position in the feed stay. Escape keeps what was typed for the
 * next time. The audit log names each member that is sent, so unchanged ones are left out.
 */
export function EditWebhook({ webhook, onClose }: WebhookProps) {
  const { id, url, description, delivery } = webhook;
  const form = useForm({
    draft: `webhook:${id}`,
    initial: { url, description, events: webhook.events as Members["events"], delivery },
    send: async ({ client }, _, changed) => {
      if (Object.keys(changed).length > 0) await client.webhooks.change(id, changed);
    },
    changes: [WEBHOOKS],
    close: onClose,
  });
  return (
    <Dialog onClose={onClose} title="Edit endpoint">
      <WebhookForm form={form} label="Save" failure="The endpoint could not be changed" onCancel={onClose} />
    </Dialog>
  );
}

type WebhookFormProps = ComponentProps<typeof Form> & { readonly form: FormFields<Members> & SentForm };

function WebhookForm({ form, ...props }: WebhookFormProps) {
  const { values, field, change } = form;
  return (
    <Form {...props} form={form} disabled={values.events.length === 0}>
      <TextInput
        {...field("url", "Address")}
        type="url"
        description="Plantstore sends each delivery to this address as a POST request"
        placeholder="https://shop.example.com/plants"
        required
        data-autofocus
      />
      <TextInput {...field("description", "Description")} maxLength={WEBHOOK_DESCRIPTION_LENGTH_MAX} />
      <Checkbox.Group
        label="Events"
        value={[...values.events]}
        // A fixed order, so that the same choice is no change.
        onChange={(chosen) => change({ events: EVENT_TYPES.filter((type) => chosen.includes(type)) })}
        required
      >
        <Stack gap="xs" mt={6}>
          {EVENT_TYPES.map((type) => (
            <Checkbox key={type} value={type} label={EVENTS[type]} />
          ))}
        </Stack>
      </Checkbox.Group>
      <Radios {...form.choice("delivery", "Deliveries")} choices={DELIVERIES} />
    </Form>
  );
}
