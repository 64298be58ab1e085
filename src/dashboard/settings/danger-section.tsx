import { Button, Code, Group, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { api } from "../api/request.ts";
import { FormEnd } from "../form-end.tsx";
import { formValues } from "../form-values.ts";
import { leave, useSession } from "../session/session.ts";
import { Section } from "./section.tsx";

export function DangerSection() {
  const [open, { open: ask, close }] = useDisclosure(false);
  return (
    <Section id="danger" title="Danger zone" text="What cannot be undone.">
      <Group>
        <Button variant="outline" color="red" c="var(--mantine-color-error)" onClick={ask}>
          Delete this account
        </Button>
      </Group>
      <Modal opened={open} onClose={close} title="Delete this account?">
        <DeleteAccount onCancel={close} />
      </Modal>
    </Section>
  );
}

function DeleteAccount({ onCancel }: { readonly onCancel: () => void }) {
  const { account } = useSession();
  const [email, setEmail] = useState("");
  const remove = useMutation({
    mutationFn: (form: Record<string, string>) => api("POST", "/account/delete", z.undefined(), form),
    onSuccess: leave,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate({ email, password: formValues(event.currentTarget).password ?? "" });
      }}
    >
      <Stack>
        <Text>All your plants, tokens and figures go with it, at once and for good. An export comes before that.</Text>
        <TextInput
          label={
            <>
              Type <Code>{account.email}</Code>
            </>
          }
          autoComplete="off"
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          required
          data-autofocus
        />
        <PasswordInput name="password" label="Current password" autoComplete="current-password" required />
        <FormEnd
          mutation={remove}
          label="Delete the account"
          failure="Cannot delete the account"
          onCancel={onCancel}
          color="red"
          disabled={email.trim() !== account.email}
        />
      </Stack>
    </form>
  );
}
