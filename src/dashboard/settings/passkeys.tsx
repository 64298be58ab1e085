import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { PASSKEY_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { addPasskey, isDismissal, passkeysNeedName, passkeysSupported } from "../api/passkey.ts";
import { Dialog } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { FormEnd } from "../components/form-end.tsx";
import { Icon } from "../components/icon.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useService } from "../program/page-context.tsx";
import { focusTitle, Section } from "./section.tsx";

const KEY = ["passkeys"];

/** The account's passkeys, each with a button that removes it, and the form for another one. */
export function Passkeys() {
  const service = useService();
  const [removing, setRemoving] = useState<PasskeyRecord>();
  const passkeys = useQuery({
    queryKey: KEY,
    queryFn: () => service.request<PasskeyRecord[]>("GET", "/auth/passkey/list-user-passkeys"),
  });
  return (
    <Section id="passkeys" title="Passkeys" text="Sign in with your device's own lock, without a password.">
      <FailureNotice cause={passkeys.error} retry={() => passkeys.refetch()} />
      {passkeys.isPending && <Skeleton h={32} className="late" />}
      {passkeys.data && passkeys.data.length > 0 && (
        <ul className="plain-list">
          {passkeys.data.map((passkey) => (
            <li key={passkey.id}>
              <PasskeyRow passkey={passkey} onRemove={() => setRemoving(passkey)} />
            </li>
          ))}
        </ul>
      )}
      <AddPasskey />
      <Dialog opened={removing !== undefined} onClose={() => setRemoving(undefined)} title="Remove this passkey?">
        {removing && <RemovePasskey passkey={removing} onDone={() => setRemoving(undefined)} />}
      </Dialog>
    </Section>
  );
}

function PasskeyRow({ passkey, onRemove }: { readonly passkey: PasskeyRecord; readonly onRemove: () => void }) {
  const name = passkey.name || "Passkey";
  return (
    <Group justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Icon name="key" />
        <Stack gap={0} miw={0}>
          <Text truncate title={name} dir="auto">
            {name}
          </Text>
          {passkey.createdAt && (
            <Text size="sm" c="dimmed">
              Added <RelativeTime at={passkey.createdAt} />
            </Text>
          )}
        </Stack>
      </Group>
      <Button size="xs" variant="default" aria-label={`Remove ${name}`} onClick={onRemove} flex="none">
        Remove
      </Button>
    </Group>
  );
}

function RemovePasskey({ passkey, onDone }: { readonly passkey: PasskeyRecord; readonly onDone: () => void }) {
  const service = useService();
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: () => service.request("POST", "/auth/passkey/delete-passkey", { id: passkey.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: KEY });
      onDone();
      focusTitle("passkeys");
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        remove.mutate();
      }}
    >
      <Stack>
        <Text className="breaks">
          <bdi>{passkey.name || "This passkey"}</bdi> no longer signs you in. Its entry on your device stays until you
          remove it there.
        </Text>
        <FormEnd mutation={remove} label="Remove" color="red" onCancel={onDone} />
      </Stack>
    </form>
  );
}

function AddPasskey() {
  const service = useService();
  const queries = useQueryClient();
  const [name, setName] = useState("");
  const add = useMutation({
    mutationFn: () => addPasskey(service, name.trim()),
    onSuccess: async () => {
      setName("");
      await queries.invalidateQueries({ queryKey: KEY });
    },
  });
  if (passkeysNeedName) return <NameNeeded />;
  if (!passkeysSupported) return <Text size="sm">This browser does not support passkeys.</Text>;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate();
      }}
    >
      <Stack maw={420} gap="sm">
        <TextInput
          label="Name of the new passkey"
          placeholder="Office laptop"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={PASSKEY_NAME_LENGTH_MAX}
          pattern=".*\S.*"
          required
        />
        {!isDismissal(add.error) && <FailureNotice cause={add.error} title="The passkey could not be added" />}
        <Group>
          <SubmitButton variant="default" pending={add.isPending}>
            Add passkey
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}

function NameNeeded() {
  const named = Object.assign(new URL(location.href), { hostname: "localhost" });
  const onThisMachine = location.hostname.startsWith("127.") || location.hostname === "[::1]";
  return (
    <Text size="sm">
      Passkeys need a host name, and this page is open at an IP address.{" "}
      {onThisMachine ? (
        <Anchor href={named.href} underline="always">
          Open it at localhost
        </Anchor>
      ) : (
        "Open it at the name of the service"
      )}{" "}
      to add one.
    </Text>
  );
}
