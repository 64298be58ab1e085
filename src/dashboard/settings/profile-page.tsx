import { Badge, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { AccountForm } from "#contract/dashboard/account.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { ACCOUNT_NAME_LENGTH_MAX, EMAIL_LENGTH_MAX } from "#contract/limits.ts";
import { useDraft } from "../browser/draft.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { Saved } from "../components/saved.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { usePage, useService } from "../program/page-context.tsx";
import { keepSession, useSession } from "../session/session.ts";
import { Section } from "./section.tsx";

export default function ProfilePage() {
  return (
    <>
      <PageTitle title="Profile" />
      <ProfileForm />
    </>
  );
}

/** A new e-mail address is used for the next sign-in, so the service requires a proof for it. */
function ProfileForm() {
  const { account } = useSession();
  const { service } = usePage();
  const { form, change, clear } = useDraft("profile", { name: account.name, email: account.email });
  const queries = useQueryClient();
  const save = useMutation({
    mutationFn: (asked: AccountForm) => service.api<SessionView>("PATCH", "/account", asked),
    onSuccess: (session) => {
      keepSession(queries, session);
      clear();
    },
  });
  const email = form.email.trim();
  return (
    <Section
      id="profile"
      title="Name and e-mail"
      text="The name appears in the dashboard. You sign in with the e-mail address."
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ name: form.name.trim(), ...(email === account.email ? {} : { email }) });
        }}
        onChange={() => save.reset()}
      >
        <Stack maw={420}>
          <TextInput
            label="Name"
            autoComplete="name"
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            maxLength={ACCOUNT_NAME_LENGTH_MAX}
            pattern=".*\S.*"
            required
          />
          <TextInput
            type="email"
            label="E-mail"
            autoComplete="email"
            value={form.email}
            onChange={(event) => change({ email: event.currentTarget.value })}
            maxLength={EMAIL_LENGTH_MAX}
            required
          />
          <Verification />
          <FailureNotice cause={save.error} title="The profile could not be saved" />
          <Group>
            <SubmitButton pending={save.isPending}>Save</SubmitButton>
            <Saved when={save.isSuccess} what="Saved" />
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

/** Shows whether the address is verified. Renders nothing if the service sends no mail. */
function Verification() {
  const { account, mail } = useSession();
  const service = useService();
  const send = useMutation({ mutationFn: () => service.api("POST", "/account/send-verification") });
  if (!mail) return null;
  if (account.email_verified) {
    return (
      <Badge variant="light" tt="none">
        Address verified
      </Badge>
    );
  }
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">This address is not verified yet. Mail about your account may not reach you.</Text>
      <Button size="xs" variant="default" loading={send.isPending} onClick={() => send.mutate()}>
        Send a verification link
      </Button>
      <Saved when={send.isSuccess} what={`A link is on its way to ${account.email}`} />
      <FailureNotice cause={send.error} />
    </Stack>
  );
}
