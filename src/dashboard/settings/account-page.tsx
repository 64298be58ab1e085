import { Button, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { DetailsList } from "../components/details-list.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FormEnd } from "../components/form-end.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useService } from "../program/page-context.tsx";
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
            rows={[
              ["Account id", <Code key="id">{account.id}</Code>],
              ["Created", <RelativeTime key="created" at={account.created_at} />],
            ]}
          />
        </Section>
        <Section id="danger" title="Delete account" text="Removes every plant, token and figure, at once and for good.">
          <Group>
            <Button variant="outline" color="red" c="var(--mantine-color-error)" onClick={ask}>
              Delete this account
            </Button>
          </Group>
        </Section>
      </Stack>
      <Dialog opened={open} onClose={close} title="Delete this account?">
        <DeleteAccount email={account.email} onCancel={close} />
      </Dialog>
    </>
  );
}

function DeleteAccount({ email, onCancel }: { readonly email: string; readonly onCancel: () => void }) {
  const service = useService();
  const [typed, setTyped] = useState("");
  const remove = useMutation({
    mutationFn: () => service.api("POST", "/account/delete", { email: typed }),
    onSuccess: leave,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate();
      }}
    >
      <Stack>
        <Text>All plants, tokens and figures go with it, and this cannot be undone. Export your plants first.</Text>
        <TextInput
          label={
            <>
              Type <Code>{email}</Code> to confirm
            </>
          }
          autoComplete="off"
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
          required
          data-autofocus
        />
        <FormEnd
          mutation={remove}
          label="Delete the account"
          failure="The account could not be deleted"
          onCancel={onCancel}
          color="red"
          disabled={typed.trim() !== email}
        />
      </Stack>
    </form>
  );
}
