import { Anchor, Checkbox, PasswordInput, Stack, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { SignInAnswer } from "#contract/dashboard/sign-in.ts";
import { signInWithPasskey } from "../api/passkey.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { Action } from "../components/action.tsx";
import { Form, useForm } from "../components/form.tsx";
import { PasskeyButton } from "../components/passkey-button.tsx";

interface SignInFormProps {
  readonly email?: string;
  readonly done: () => Promise<void>;
  /** Other ways to sign in, shown below the first step only. */
  readonly children?: ReactNode;
}

/** E-mail and password, then the second factor of accounts that have one; or only a passkey. */
export function SignInForm({ email, done, children }: SignInFormProps) {
  const [known, setKnown] = useState(email);
  const [secondFactor, setSecondFactor] = useState(false);
  if (secondFactor) {
    return (
      <Stack>
        <SecondFactorForm done={done} />
        <Action kind="quiet" label="Back to sign-in" onClick={() => setSecondFactor(false)} />
      </Stack>
    );
  }
  const askSecondFactor = (typed: string) => {
    setKnown(typed);
    setSecondFactor(true);
  };
  const signIn = async (service: ServiceClient) => {
    await signInWithPasskey(service);
    await done();
  };
  return (
    <Stack>
      <CredentialsForm email={known} done={done} onSecondFactor={askSecondFactor} />
      <PasskeyButton label="Sign in with a passkey" use={signIn} />
      {children}
    </Stack>
  );
}

interface CredentialsFormProps extends Pick<SignInFormProps, "email" | "done"> {
  readonly onSecondFactor: (email: string) => void;
}

function CredentialsForm({ email = "", done, onSecondFactor }: CredentialsFormProps) {
  const form = useForm({
    draft: "sign-in",
    initial: { email, password: "" },
    send: async (service, { email, password }) => {
      const asked = { email, password, rememberMe: true };
      const answer = await service.request<SignInAnswer>("POST", "/auth/sign-in/email", asked);
      if (answer.two_factor) onSecondFactor(email);
      else await done();
    },
    again: "password",
  });
  const [known] = useState(form.values.email !== "");
  return (
    <Form form={form} label="Sign in" fullWidth>
      <TextInput
        {...form.field("email", "E-mail")}
        type="email"
        autoComplete="username webauthn"
        required
        autoFocus={!known}
        data-autofocus={!known || undefined}
      />
      <PasswordInput
        {...form.secret("password", "Password")}
        autoComplete="current-password"
        required
        autoFocus={known}
        data-autofocus={known || undefined}
      />
    </Form>
  );
}

function SecondFactorForm({ done }: Pick<SignInFormProps, "done">) {
  const [backup, setBackup] = useState(false);
  const form = useForm({
    initial: { code: "", trustDevice: false },
    send: async (service, { code, trustDevice }) => {
      const step = backup ? "verify-backup-code" : "verify-totp";
      await service.request("POST", `/auth/two-factor/${step}`, { code: code.trim(), trustDevice });
      await done();
    },
    again: "code",
  });
  const change = () => {
    setBackup(!backup);
    form.change({ code: "" });
    form.reset();
  };
  return (
    <>
      <Form form={form} label="Continue" fullWidth>
        <TextInput
          key={String(backup)}
          {...form.field("code", backup ? "Backup code" : "Code from your authenticator app")}
          autoComplete="one-time-code"
          inputMode={backup ? "text" : "numeric"}
          required
          autoFocus
        />
        <Checkbox {...form.checkbox("trustDevice", "Trust this device for 30 days")} />
      </Form>
      <Anchor component="button" type="button" fz="sm" mih={28} onClick={change}>
        {backup ? "Use the authenticator app" : "Use a backup code"}
      </Anchor>
    </>
  );
}
