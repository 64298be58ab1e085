import { NativeSelect, Radio, Stack, TextInput } from "@mantine/core";
import { type NewTokenSecret, TOKEN_NAME_LENGTH_MAX } from "#contract/dashboard.ts";
import { serviceNow } from "../api/clock.ts";
import { useDraft } from "../draft.ts";
import { FormEnd } from "../form-end.tsx";
import { ACCESS, type Access } from "./token-access.ts";
import { EXPIRY_CHOICES, expiryTime } from "./token-expiry.ts";
import { useCreateToken } from "./tokens.ts";

interface CreateTokenFormProps {
  readonly onCreated: (created: NewTokenSecret) => void;
  readonly onCancel: () => void;
}

const EMPTY: { name: string; access: Access; expiry: string; date: string } = {
  name: "",
  access: "both",
  expiry: "90",
  date: "",
};

export function CreateTokenForm({ onCreated, onCancel }: CreateTokenFormProps) {
  const { form, change, clear } = useDraft("new-token", EMPTY);
  const create = useCreateToken();
  const submit = () => {
    const expires_at = expiryTime(form.expiry, form.date, serviceNow());
    const asked = { name: form.name.trim(), scopes: ACCESS[form.access].scopes, expires_at };
    create.mutate(asked, {
      onSuccess: (created) => {
        clear();
        onCreated(created);
      },
    });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <TextInput
          label="Name"
          description="What uses it, as in Greenhouse import"
          value={form.name}
          onChange={(event) => change({ name: event.currentTarget.value })}
          maxLength={TOKEN_NAME_LENGTH_MAX}
          pattern=".*\S.*"
          required
          data-autofocus
        />
        <Radio.Group label="Access" value={form.access} onChange={(access) => change({ access: access as Access })}>
          <Stack gap="xs" mt={6}>
            {Object.entries(ACCESS).map(([access, { label, meaning }]) => (
              <Radio key={access} value={access} label={label} description={meaning} />
            ))}
          </Stack>
        </Radio.Group>
        <NativeSelect
          label="Expires"
          data={EXPIRY_CHOICES}
          value={form.expiry}
          onChange={(event) => change({ expiry: event.currentTarget.value })}
        />
        {form.expiry === "date" && (
          <TextInput
            type="date"
            label="Last day"
            min={new Date(serviceNow()).toISOString().slice(0, 10)}
            value={form.date}
            onChange={(event) => change({ date: event.currentTarget.value })}
            required
          />
        )}
        <FormEnd mutation={create} label="Make the token" failure="Cannot make the token" onCancel={onCancel} />
      </Stack>
    </form>
  );
}
