import { Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { SignInAnswer } from "#contract/dashboard.ts";
import { request } from "../api/request.ts";
import { useDraft } from "../draft.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { formValues } from "../form-values.ts";

interface CredentialsFormProps {
  readonly email: string | undefined;
  readonly done: () => Promise<void>;
  readonly onSecondFactor: () => void;
}

/** The fields are the form's own, so that password managers fill them as they will. */
export function CredentialsForm({ email, done, onSecondFactor }: CredentialsFormProps) {
  const draft = useDraft("sign-in", { email: email ?? "" });
  const signIn = useMutation({
    mutationFn: async (credentials: Record<string, string>) => {
      const answer = await request("POST", "/auth/sign-in/email", SignInAnswer, { ...credentials, rememberMe: true });
      if (answer.two_factor) onSecondFactor();
      else await done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate(formValues(event.currentTarget));
      }}
    >
      <Stack>
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          autoComplete="username webauthn"
          required
          defaultValue={draft.form.email}
          onChange={(event) => draft.change({ email: event.currentTarget.value })}
          data-autofocus
        />
        <PasswordInput name="password" label="Password" autoComplete="current-password" required />
        <FailureNotice cause={signIn.error} />
        <Button type="submit" loading={signIn.isPending} fullWidth>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
