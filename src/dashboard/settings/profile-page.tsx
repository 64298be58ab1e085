import { Badge, Stack, Text, TextInput } from "@mantine/core";
import type { SessionView } from "#contract/dashboard/session.ts";
import { PERSON_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useChange } from "../api/asking.ts";
import { SendingAction } from "../components/failure-notice.tsx";
import { EMAIL_RULES, Form, nameRules, Saved, useForm } from "../components/form.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { usePage } from "../program/page-context.tsx";
import { keepSession, useSession } from "../session/session.ts";
import { Section } from "./section.tsx";

/** A new e-mail address is used for the next sign-in, so the service requires a proof for it. */
export default function ProfilePage() {
  const { account } = useSession();
  const { queries } = usePage();
  const form = useForm({
    draft: "profile",
    initial: { name: account.name, email: account.email },
    send: (service, { name }, { email }) => {
      const changed = { name: name.trim(), email };
      return service.api<SessionView>("PATCH", "/account", changed, email === undefined ? undefined : "asked");
    },
    done: (session) => keepSession(queries, session),
  });
  return (
    <>
      <PageTitle title="Profile" />
      <Section
        id="profile"
        title="Name and e-mail"
        text="The name appears in the dashboard. You sign in with the e-mail address."
      >
        <Form form={form} label="Save" failure="The profile could not be saved" saved="Saved" maw={420}>
          <TextInput {...form.field("name", "Name")} {...nameRules(PERSON_NAME_LENGTH_MAX)} autoComplete="name" />
          <TextInput {...form.field("email", "E-mail")} {...EMAIL_RULES} autoComplete="email" />
          <Verification key={account.email} />
        </Form>
      </Section>
    </>
  );
}

/** Shows whether the address is verified. Renders nothing if the service sends no mail. */
function Verification() {
  const { account, mail } = useSession();
  const send = useChange((service) => service.api("POST", "/account/send-verification"));
  if (!mail) return null;
  if (account.email_verified) return <Badge radius="xl">Address verified</Badge>;
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm">This address is not verified yet. Mail about your account may not reach you.</Text>
      <SendingAction label="Send a verification link" size="xs" change={send} />
      <Saved when={send.isSuccess} what={`A link is on its way to ${account.email}`} />
    </Stack>
  );
}
