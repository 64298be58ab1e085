import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from "#contract/limits.ts";
import type { WebhookWithSecret } from "#contract/v1/webhooks.ts";
import { useDraft } from "../draft.ts";
import { FormEnd } from "../form-end.tsx";
import { SecretDialog } from "../secret-dialog.tsx";
import { askWebhooks, shownWebhookSecret, useWebhookChange } from "./webhooks.ts";

const EVENT_TYPES = [
  { value: "plant.created", label: "Plant created" },
  { value: "plant.changed", label: "Plant changed" },
  { value: "plant.removed", label: "Plant removed" },
] as const;

interface CreateWebhookProps {
  readonly opened: boolean;
  readonly onClose: () => void;
}

/** The dialog that adds an endpoint and shows its signing secret once. */
export function CreateWebhook({ opened, onClose }: CreateWebhookProps) {
  const [secret, setSecret] = useState<string>();
  return (
    <SecretDialog
      opened={opened || secret !== undefined}
      title="Add endpoint"
      secret={secret === undefined ? undefined : shownWebhookSecret(secret)}
      onClose={() => {
        setSecret(undefined);
        onClose();
      }}
    >
      <CreateWebhookForm onCancel={onClose} onCreated={setSecret} />
    </SecretDialog>
  );
}

const EMPTY = {
  url: "",
  description: "",
  events: EVENT_TYPES.map(({ value }) => value) as string[],
  delivery: "each",
};

interface CreateWebhookFormProps {
  readonly onCreated: (secret: string) => void;
  readonly onCancel: () => void;
}

function CreateWebhookForm({ onCreated, onCancel }: CreateWebhookFormProps) {
  const { form, change, clear } = useDraft("new-webhook", EMPTY);
  const create = useWebhookChange((service, asked: typeof EMPTY) =>
    askWebhooks<WebhookWithSecret>(service, "POST", "", asked),
  );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        const asked = { ...form, url: form.url.trim() };
        create.mutate(asked, {
          onSuccess: ({ secret }) => {
            clear();
            onCreated(secret);
          },
        });
      }}
    >
      <Stack>
        <TextInput
          type="url"
          label="Address"
          description="Plantstore sends each delivery there as a POST request"
          placeholder="https://shop.example.com/plants"
          value={form.url}
          onChange={(event) => change({ url: event.currentTarget.value })}
          required
          data-autofocus
        />
        <TextInput
          label="Description"
          value={form.description}
          onChange={(event) => change({ description: event.currentTarget.value })}
          maxLength={WEBHOOK_DESCRIPTION_LENGTH_MAX}
        />
        <Checkbox.Group label="Events" value={form.events} onChange={(events) => change({ events })} required>
          <Stack gap="xs" mt={6}>
            {EVENT_TYPES.map(({ value, label }) => (
              <Checkbox key={value} value={value} label={label} />
            ))}
          </Stack>
        </Checkbox.Group>
        <Radio.Group label="Deliveries" value={form.delivery} onChange={(delivery) => change({ delivery })}>
          <Stack gap="xs" mt={6}>
            <Radio value="each" label="Each event" description="One request for each event" />
            <Radio
              value="notice"
              label="Notices"
              description="At most one request a second, which says where in the feed to read on"
            />
          </Stack>
        </Radio.Group>
        <FormEnd
          mutation={create}
          label="Add endpoint"
          failure="The endpoint could not be added"
          onCancel={() => {
            clear();
            onCancel();
          }}
          disabled={form.events.length === 0}
        />
      </Stack>
    </form>
  );
}
