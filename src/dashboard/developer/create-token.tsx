import { Checkbox, Radio, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useSearchParams } from "wouter";
import type { NewTokenForm, NewTokenSecret } from "#contract/dashboard/tokens.ts";
import { TOKEN_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useDraft } from "../browser/draft.ts";
import { FormEnd } from "../components/form-end.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { usePage } from "../program/page-context.tsx";
import { ACCESS, type Access } from "./token-access.ts";
import { expiryTime } from "./token-expiry.ts";
import { TokenExpiryField } from "./token-expiry-field.tsx";
import { shownToken, useTokenChange } from "./tokens.ts";

const EMPTY = { name: "", access: "both" as Access, webhooks: false, expiry: "90", date: "" };

/** The address says that the dialog is open until there is a secret, so that a reload does not open it again. */
export function useCreateToken() {
  const [search, setSearch] = useSearchParams();
  const set = (asked: boolean) =>
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete("make");
        if (asked) after.set("make", "token");
        return after;
      },
      { replace: !asked },
    );
  return { asked: search.get("make") === "token", open: () => set(true), close: () => set(false) };
}

/** The dialog that creates a token and shows its secret once. */
export function CreateToken() {
  const page = usePage();
  const { asked, close } = useCreateToken();
  const [secret, setSecret] = useState<string>();
  return (
    <SecretDialog
      opened={asked || secret !== undefined}
      title="Create token"
      secret={secret === undefined ? undefined : shownToken(secret)}
      onClose={() => {
        setSecret(undefined);
        if (asked) close();
      }}
    >
      <CreateTokenForm
        onCancel={close}
        onCreated={(created) => {
          setSecret(created.secret);
          page.madeToken.set(created.secret);
          close();
        }}
      />
    </SecretDialog>
  );
}

interface CreateTokenFormProps {
  readonly onCreated: (created: NewTokenSecret) => void;
  readonly onCancel: () => void;
}

function CreateTokenForm({ onCreated, onCancel }: CreateTokenFormProps) {
  const { service } = usePage();
  const { form, change, clear } = useDraft("new-token", EMPTY);
  const create = useTokenChange((service, asked: NewTokenForm) =>
    service.api<NewTokenSecret>("POST", "/tokens", asked),
  );
  const submit = () => {
    const expires_at = expiryTime(form.expiry, form.date, service.clock.now());
    const scopes: NewTokenForm["scopes"] = [...ACCESS[form.access].scopes, ...(form.webhooks ? WEBHOOKS : [])];
    create.mutate(
      { name: form.name.trim(), scopes, expires_at },
      {
        onSuccess: (created) => {
          clear();
          onCreated(created);
        },
      },
    );
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
          description="The program that will use it"
          placeholder="Greenhouse import"
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
        <Checkbox
          label="Manage webhooks"
          description="Adds, changes and removes webhook endpoints"
          checked={form.webhooks}
          onChange={(event) => change({ webhooks: event.currentTarget.checked })}
        />
        <TokenExpiryField expiry={form.expiry} date={form.date} onChange={change} />
        <FormEnd
          mutation={create}
          label="Create token"
          failure="The token could not be created"
          onCancel={() => {
            clear();
            onCancel();
          }}
        />
      </Stack>
    </form>
  );
}

const WEBHOOKS: NewTokenForm["scopes"] = ["webhooks:manage"];
