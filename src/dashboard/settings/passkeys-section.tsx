import { Anchor, Button, Group, Skeleton, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { isDismissal, passkeysNeedName, passkeysSupported } from "../api/passkey.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { RelativeTime } from "../relative-time.tsx";
import { useAddPasskey, usePasskeys, useRemovePasskey } from "./passkeys.ts";
import { Section } from "./section.tsx";

export function PasskeysSection() {
  const passkeys = usePasskeys();
  const remove = useRemovePasskey();
  return (
    <Section id="passkeys" title="Passkeys" text="Sign in with this device's own lock, without a password.">
      <FailureNotice cause={passkeys.error} retry={() => passkeys.refetch()} />
      {passkeys.isPending && <Skeleton h={32} className="late" />}
      {passkeys.data && passkeys.data.length > 0 && (
        <ul className="plain-list">
          {passkeys.data.map(({ id, name, createdAt }) => (
            <li key={id}>
              <Group justify="space-between">
                <Group gap="xs">
                  <Icon name="key" />
                  <Text>{name || "Passkey"}</Text>
                  {createdAt && (
                    <Text size="sm" c="dimmed">
                      added <RelativeTime at={createdAt} />
                    </Text>
                  )}
                </Group>
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${name || "this passkey"}`}
                  loading={remove.isPending && remove.variables === id}
                  onClick={() => remove.mutate(id)}
                >
                  Remove
                </Button>
              </Group>
            </li>
          ))}
        </ul>
      )}
      <FailureNotice cause={remove.error} title="Cannot remove the passkey" />
      <PasskeyAdder />
    </Section>
  );
}

function PasskeyAdder() {
  if (passkeysNeedName) return <NameNeeded />;
  return passkeysSupported ? <AddPasskey /> : <Text size="sm">This browser has no passkeys.</Text>;
}

function NameNeeded() {
  const named = Object.assign(new URL(location.href), { hostname: "localhost" });
  const onThisMachine = location.hostname.startsWith("127.") || location.hostname === "[::1]";
  return (
    <Text size="sm">
      A passkey belongs to a name, and this page is at an address of digits.{" "}
      {onThisMachine ? (
        <Anchor href={named.href} underline="always">
          Open it at localhost
        </Anchor>
      ) : (
        "Open it at the service's own name"
      )}{" "}
      to add one.
    </Text>
  );
}

function AddPasskey() {
  const [name, setName] = useState("");
  const add = useAddPasskey();
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        add.mutate(name.trim(), { onSuccess: () => setName("") });
      }}
    >
      <Stack maw={420} gap="sm">
        <TextInput
          label="Name of a new passkey"
          description="As in Office laptop"
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          maxLength={50}
          pattern=".*\S.*"
          required
        />
        {!isDismissal(add.error) && <FailureNotice cause={add.error} title="Cannot add the passkey" />}
        <Group>
          <Button type="submit" variant="default" loading={add.isPending}>
            Add a passkey
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
