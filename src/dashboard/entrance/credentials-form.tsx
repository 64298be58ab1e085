import { PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import type { SignInAnswer } from "#contract/dashboard/sign-in.ts";
import { formValues, useDraft } from "../browser/draft.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useService } from "../program/page-context.tsx";

interface CredentialsFormProps {
  readonly email: string | undefined;
  readonly done: () => Promise<void>;
  readonly onSecondFactor: () => void;
}

/** The form holds the values of its fields, so that password managers can fill them. */
export function CredentialsForm({ email, done, onSecondFactor }: CredentialsFormProps) {
  const service = useService();
  const draft = useDraft("sign-in", { email: email ?? "" });
  const password = useRef<HTMLInputElement>(null);
  const signIn = useMutation({
    mutationFn: async (credentials: Record<string, string>) => {
      const form = { ...credentials, rememberMe: true };
      const answer = await service.request<SignInAnswer>("POST", "/auth/sign-in/email", form);
      if (answer.two_factor) onSecondFactor();
      else await done();
    },
    onError: () => {
      password.current?.focus();
      password.current?.select();
    },
  });
  const known = draft.form.email !== "";
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
          autoFocus={!known}
          data-autofocus={!known || undefined}
        />
        <PasswordInput
          ref={password}
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          autoFocus={known}
          data-autofocus={known || undefined}
        />
        <FailureNotice cause={signIn.error} />
        <SubmitButton pending={signIn.isPending} fullWidth>
          Sign in
        </SubmitButton>
      </Stack>
    </form>
  );
}
