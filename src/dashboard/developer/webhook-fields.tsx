import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import { WEBHOOK_DESCRIPTION_LENGTH_MAX } from "#contract/limits.ts";

const EVENT_TYPES = [
  { value: "plant.created", label: "Plant created" },
  { value: "plant.changed", label: "Plant changed" },
  { value: "plant.removed", label: "Plant removed" },
] as const;

export interface WebhookForm {
  readonly url: string;
  readonly description: string;
  readonly events: string[];
  readonly delivery: string;
}

export const EMPTY_WEBHOOK: WebhookForm = {
  url: "",
  description: "",
  events: EVENT_TYPES.map(({ value }) => value),
  delivery: "each",
};

interface WebhookFieldsProps {
  readonly form: WebhookForm;
  readonly change: (members: Partial<WebhookForm>) => void;
}

/** The fields of an endpoint, in the forms that add and edit one. */
export function WebhookFields({ form, change }: WebhookFieldsProps) {
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
