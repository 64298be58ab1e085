import { Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN, SessionView } from "#contract/dashboard.ts";
import { api } from "../api/request.ts";
import { useDraft } from "../draft.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { formValues } from "../form-values.ts";

interface SignUpFormProps {
  readonly code: string;
  readonly done: () => Promise<void>;
}

export function SignUpForm({ code, done }: SignUpFormProps) {
  const draft = useDraft("sign-up", { name: "", email: "" });
  const signUp = useMutation({
    mutationFn: async ({ name, email, password }: Record<string, string>) => {
      const form = { email, password, ...(name?.trim() ? { name } : {}), ...(code ? { code } : {}) };
      await api("POST", "/welcome", SessionView, form);
      draft.clear();
      await done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signUp.mutate(formValues(event.currentTarget));
      }}
    >
      <Stack>
        <Text>Make your account. Your plants and tokens belong to it, and nobody else sees them.</Text>
        <TextInput
          name="name"
          label="Name"
          description="Optional, as in the name of your nursery"
          autoComplete="name"
          maxLength={100}
          defaultValue={draft.form.name}
          onChange={(event) => draft.change({ name: event.currentTarget.value })}
        />
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          autoComplete="username"
          required
          maxLength={254}
          defaultValue={draft.form.email}
          onChange={(event) => draft.change({ email: event.currentTarget.value })}
        />
        <PasswordInput
          name="password"
          label="Password"
          description={`At least ${PASSWORD_LENGTH_MIN} characters`}
          autoComplete="new-password"
          minLength={PASSWORD_LENGTH_MIN}
          maxLength={PASSWORD_LENGTH_MAX}
          required
        />
        <FailureNotice cause={signUp.error} />
        <Button type="submit" loading={signUp.isPending} fullWidth>
          Make the account
        </Button>
      </Stack>
    </form>
  );
}
