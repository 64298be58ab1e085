import { Anchor, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useSearchParams } from "wouter";
import type { Welcome } from "#contract/dashboard/account.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { ACCOUNT_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX } from "#contract/limits.ts";
import { formValues, useDraft } from "../browser/draft.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { NewPassword } from "../components/new-password.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useService } from "../program/page-context.tsx";
import { Entrance } from "./entrance.tsx";

/** Creates the first account, by the one-time link that the first start prints; or any account if sign-up is open. */
export default function WelcomePage() {
  const service = useService();
  const [search] = useSearchParams();
  const code = search.get("code") ?? "";
  const welcome = useQuery({
    queryKey: ["welcome", code],
    queryFn: () => service.api<Welcome>("GET", `/welcome?code=${encodeURIComponent(code)}`),
  });
  // The page stays unchanged until the next document is loaded.
  const done = async () => {
    location.replace("/dashboard");
    await new Promise(() => {});
  };
  return (
    <Entrance title="Welcome to Plantstore">
      {welcome.isPending && (
        <Stack className="late">
          <Skeleton h={60} />
          <Skeleton h={60} />
          <Skeleton h={36} />
        </Stack>
      )}
      <FailureNotice cause={welcome.error} retry={() => welcome.refetch()} />
      {welcome.data?.open && <SignUpForm code={code} done={done} />}
      {welcome.data && !welcome.data.open && <Text>{welcome.data.message}.</Text>}
      <Text size="sm">
        {welcome.data?.open && "Already have an account? "}
        <Anchor component={Link} href="/dashboard/sign-in" underline="always" inherit>
          Sign in
        </Anchor>
      </Text>
    </Entrance>
  );
}

interface SignUpFormProps {
  readonly code: string;
  readonly done: () => Promise<void>;
}

function SignUpForm({ code, done }: SignUpFormProps) {
  const service = useService();
  const draft = useDraft("sign-up", { name: "", email: "" });
  const signUp = useMutation({
    mutationFn: async ({ name, email, password }: Record<string, string>) => {
      const form = { email, password, ...(name?.trim() ? { name } : {}), ...(code ? { code } : {}) };
      await service.api<SessionView>("POST", "/welcome", form);
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
        <Text>Create your account. Your plants and tokens belong to it, and nobody else sees them.</Text>
        <TextInput
          name="name"
          label="Name"
          description="Optional, for example the name of your nursery"
          autoComplete="name"
          maxLength={ACCOUNT_NAME_LENGTH_MAX}
          defaultValue={draft.form.name}
          onChange={(event) => draft.change({ name: event.currentTarget.value })}
          autoFocus
        />
        <TextInput
          name="email"
          type="email"
          label="E-mail"
          autoComplete="username"
          required
          maxLength={EMAIL_LENGTH_MAX}
          defaultValue={draft.form.email}
          onChange={(event) => draft.change({ email: event.currentTarget.value })}
        />
        <NewPassword name="password" label="Password" />
        <FailureNotice cause={signUp.error} />
        <SubmitButton pending={signUp.isPending} fullWidth>
          Create account
        </SubmitButton>
      </Stack>
    </form>
  );
}
