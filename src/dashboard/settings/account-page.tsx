import { Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Action } from "../components/action.tsx";
import { DetailsList } from "../components/details.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Form, useForm } from "../components/form.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { leave, useSession } from "../session/session.ts";
import { Section } from "./section.tsx";

export default function AccountPage() {
  const { account } = useSession();
  const [open, { open: ask, close }] = useDisclosure(false);
  return (
    <>
      <PageTitle title="Account" />
      <Stack gap="lg">
        <Section id="account" title="About">
          <DetailsList
            of={{ "Account id": <Code>{account.id}</Code>, Created: <RelativeTime at={account.created_at} /> }}
          />
        </Section>
        <Section id="danger" title="Delete account" text="Removes every plant, token and figure, at once and for good.">
          <Group>
            <Action label="Delete this account" kind="risky" onClick={ask} />
          </Group>
        </Section>
      </Stack>
      {open && <DeleteAccount address={account.email} onClose={close} />}
    </>
  );
}

function DeleteAccount({ address, onClose }: { readonly address: string; readonly onClose: () => void }) {
  const form = useForm({
    initial: { email: "" },
    send: (service, typed) => service.api("POST", "/account/delete", typed, "asked"),
    done: leave,
  });
  const failure = "The account could not be deleted";
  const other = form.values.email.trim() !== address;
  return (
    <Dialog onClose={onClose} title="Delete this account?">
      <Form form={form} label="Delete the account" failure={failure} onCancel={onClose} color="red" disabled={other}>
        <Text>All plants, tokens and figures go with it, and this cannot be undone. Export your plants first.</Text>
        <TextInput
          {...form.field("email", "E-mail")}
          label={
            <>
              Type <Code>{address}</Code> to confirm
            </>
          }
          required
          data-autofocus
        />
      </Form>
    </Dialog>
  );
}
