import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import type { NewTokenForm, NewTokenSecret } from "#contract/dashboard/tokens.ts";
import { TOKEN_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useAddress } from "../browser/address.ts";
import { Form, type FormFields, type SentForm, useForm } from "../components/form.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { usePage } from "../program/page-context.tsx";
import { expiryTime, TokenExpiryField } from "./token-expiry.tsx";
import { ACCESS, type Access, shownToken, TOKEN_DATA } from "./tokens.tsx";

const EMPTY = { name: "", access: "both" as Access, webhooks: false, expiry: "90", date: "" };

/** The address says that the dialog is open until there is a secret, so that a reload does not open it again. */
export function useCreateToken() {
  const [search, change] = useAddress();
  return {
    asked: search.get("make") === "token",
    open: () => change({ make: "token" }),
    close: () => change({ make: undefined }, { replace: true }),
  };
}

/** The dialog that creates a token and shows its secret once. */
export function CreateToken() {
  const { madeToken } = usePage();
  const { asked, close } = useCreateToken();
  const form = useForm({
    draft: "new-token",
    initial: EMPTY,
    send: (service, { name, access, webhooks, ...expiry }) => {
      const scopes: NewTokenForm["scopes"] = [...ACCESS[access].scopes, ...(webhooks ? WEBHOOKS : [])];
      const expires_at = expiryTime(expiry, service.clock.now());
      return service.api<NewTokenSecret>("POST", "/tokens", { name: name.trim(), scopes, expires_at });
    },
    changes: TOKEN_DATA,
    done: ({ secret }) => {
      madeToken.set(secret);
      close();
    },
  });
  if (!asked && !form.data) return null;
  const leave = () => {
    if (form.data) form.restart();
    if (asked) close();
  };
  return (
    <SecretDialog title="Create token" secret={form.data && shownToken(form.data.secret)} onClose={leave}>
      <CreateTokenForm form={form} onCancel={close} />
    </SecretDialog>
  );
}

interface CreateTokenFormProps {
  readonly form: FormFields<typeof EMPTY> & SentForm;
  readonly onCancel: () => void;
}

function CreateTokenForm({ form, onCancel }: CreateTokenFormProps) {
  return (
    <Form form={form} label="Create token" failure="The token could not be created" onCancel={onCancel}>
      <TextInput
        {...form.field("name", "Name")}
        description="The program that will use it"
        placeholder="Greenhouse import"
        maxLength={TOKEN_NAME_LENGTH_MAX}
        pattern=".*\S.*"
        required
        data-autofocus
      />
      <Radio.Group
        label="Access"
        value={form.values.access}
        onChange={(access) => form.change({ access: access as Access })}
      >
        <Stack gap="xs" mt={6}>
          {Object.entries(ACCESS).map(([access, { label, meaning }]) => (
            <Radio key={access} value={access} label={label} description={meaning} />
          ))}
        </Stack>
      </Radio.Group>
      <Checkbox
        label="Manage webhooks"
        description="Adds, changes and removes webhook endpoints"
        checked={form.values.webhooks}
        onChange={({ currentTarget }) => form.change({ webhooks: currentTarget.checked })}
      />
      <TokenExpiryField form={form} />
    </Form>
  );
}

const WEBHOOKS: NewTokenForm["scopes"] = ["webhooks:manage"];
