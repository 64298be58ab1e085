import { Anchor, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import { formValues } from "../browser/draft.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { NewPassword } from "../components/new-password.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useService } from "../program/page-context.tsx";
import { Entrance } from "./entrance.tsx";

/** Requests a link by mail; with the token of such a link in the address, asks for the new password. */
export default function RecoveryPage() {
  const [search] = useSearchParams();
  const token = search.get("token");
  return (
    <Entrance title={token ? "Set a new password" : "Forgot your password?"}>
      {token ? <NewPasswordForm token={token} /> : <AskForLink />}
      <Anchor component={Link} href="/dashboard/sign-in" size="sm" underline="always" className="link">
        Back to sign-in
      </Anchor>
    </Entrance>
  );
}

function AskForLink() {
  const service = useService();
  const ask = useMutation({ mutationFn: (email: string) => service.api("POST", "/recovery", { email }) });
  if (ask.isSuccess) {
    return (
      <Text role="status">
        If {ask.variables} has an account, a link is on its way to it. The link works once, for one hour.
      </Text>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        ask.mutate(formValues(event.currentTarget).email ?? "");
      }}
    >
      <Stack>
        <Text>Enter the address of your account. You get a link that lets you set a new password.</Text>
        <TextInput name="email" type="email" label="E-mail" autoComplete="username" required autoFocus />
        <FailureNotice cause={ask.error} />
        <SubmitButton pending={ask.isPending} fullWidth>
          Send the link
        </SubmitButton>
      </Stack>
    </form>
  );
}

function NewPasswordForm({ token }: { readonly token: string }) {
  const service = useService();
  const set = useMutation({
    mutationFn: (password: string) => service.api("POST", "/recovery/password", { token, password }),
    gcTime: 0,
  });
  if (set.isSuccess)
    return <Text role="status">Your password is set, and every session was ended. Sign in with it.</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        set.mutate(formValues(event.currentTarget).password ?? "");
      }}
    >
      <Stack>
        <NewPassword name="password" label="New password" autoFocus />
        <FailureNotice cause={set.error} />
        <SubmitButton pending={set.isPending} fullWidth>
          Set the password
        </SubmitButton>
      </Stack>
    </form>
  );
}
