import { Anchor, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { PASSKEY_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useAnswer } from "../api/asking.ts";
import { addPasskey, passkeysNeedName, passkeysSupported } from "../api/passkey.ts";
import { Form, useForm } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { Question } from "../components/question.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { focusTitle, Items, Section } from "./section.tsx";

const KEY = "passkeys";

export function Passkeys() {
  const [removing, setRemoving] = useState<PasskeyRecord>();
  const passkeys = useAnswer([KEY], (service) =>
    service.request<PasskeyRecord[]>("GET", "/auth/passkey/list-user-passkeys"),
  );
  return (
    <Section id="passkeys" title="Passkeys" text="Sign in with your device's own lock, without a password.">
      <Items
        query={passkeys}
        rows={passkeys.data}
        shape={32}
        empty={null}
        icon={<Icon name="key" />}
        item={(passkey) => ({
          key: passkey.id,
          name: passkey.name || "Passkey",
          remark: passkey.createdAt && <>Added {<RelativeTime at={passkey.createdAt} />}</>,
          button: { label: "Remove", onClick: () => setRemoving(passkey) },
        })}
      />
      <AddPasskey />
      {removing && <RemovePasskey passkey={removing} onClose={() => setRemoving(undefined)} />}
    </Section>
  );
}

function RemovePasskey({ passkey, onClose }: { readonly passkey: PasskeyRecord; readonly onClose: () => void }) {
  const close = () => {
    onClose();
    focusTitle("passkeys");
  };
  return (
    <Question
      title="Remove this passkey?"
      label="Remove"
      send={async (service) => {
        await service.request("POST", "/auth/passkey/delete-passkey", { id: passkey.id }, "unspent");
        service.proofs.spend();
      }}
      changes={[KEY, "session"]}
      done={(_, renewed) => renewed}
      close={close}
      onClose={onClose}
    >
      <Text className="breaks">
        <bdi>{passkey.name || "This passkey"}</bdi> no longer signs you in. Its entry on your device stays until you
        remove it there.
      </Text>
    </Question>
  );
}

function AddPasskey() {
  const form = useForm({
    initial: { name: "" },
    send: (service, { name }) => addPasskey(service, name.trim()),
    changes: [KEY, "session"],
    restarts: true,
  });
  if (passkeysNeedName()) return <NameNeeded />;
  if (!passkeysSupported()) return <Text size="sm">This browser does not support passkeys.</Text>;
  return (
    <Form form={form} label="Add passkey" failure="The passkey could not be added" variant="default" maw={420}>
      <TextInput
        {...form.field("name", "Name of the new passkey")}
        placeholder="Office laptop"
        maxLength={PASSKEY_NAME_LENGTH_MAX}
        pattern=".*\S.*"
        required
      />
    </Form>
  );
}

function NameNeeded() {
  const named = Object.assign(new URL(location.href), { hostname: "localhost" });
  const onThisMachine = location.hostname.startsWith("127.") || location.hostname === "[::1]";
  return (
    <Text size="sm">
      Passkeys need a host name, and this page is open at an IP address.{" "}
      {onThisMachine ? <Anchor href={named.href}>Open it at localhost</Anchor> : "Open it at the name of the service"}{" "}
      to add one.
    </Text>
  );
}
