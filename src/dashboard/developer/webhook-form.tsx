import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import type { UseMutationResult } from "@tanstack/react-query";
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from "#contract/limits.ts";
import { FormEnd } from "../components/form-end.tsx";

const EVENT_TYPES = [
  { value: "plant.created", label: "Plant created" },
  { value: "plant.changed", label: "Plant changed" },
  { value: "plant.removed", label: "Plant removed" },
] as const;

export interface WebhookMembers {
  readonly url: string;
  readonly description: string;
  readonly events: string[];
  readonly delivery: string;
}

export const EMPTY_WEBHOOK: WebhookMembers = {
  url: "",
  description: "",
  events: EVENT_TYPES.map(({ value }) => value),
  delivery: "each",
};

interface WebhookFormProps {
  readonly form: WebhookMembers;
  readonly change: (members: Partial<WebhookMembers>) => void;
  readonly mutation: Pick<UseMutationResult<unknown, unknown, never>, "error" | "isPending">;
  /** The text of its button, as in "Add endpoint". */
  readonly label: string;
  /** The title of its failure, as in "The endpoint could not be added". */
  readonly failure: string;
  readonly onSubmit: (form: WebhookMembers) => void;
  readonly onCancel: () => void;
}

/** The form that adds or edits an endpoint. It is submitted without blanks around the address. */
export function WebhookForm({ form, change, mutation, label, failure, onSubmit, onCancel }: WebhookFormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit({ ...form, url: form.url.trim() });
      }}
    >
      <Stack>
        <WebhookFields form={form} change={change} />
        <FormEnd
          mutation={mutation}
          label={label}
          failure={failure}
          onCancel={onCancel}
          disabled={form.events.length === 0}
        />
      </Stack>
    </form>
  );
}

function WebhookFields({ form, change }: Pick<WebhookFormProps, "form" | "change">) {
  return (
    <>
      <TextInput
        type="url"
        label="Address"
        description="Plantstore sends each delivery to this address as a POST request"
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
            description="At most one request per second, with the place in the event feed to continue from"
          />
        </Stack>
      </Radio.Group>
    </>
  );
}
