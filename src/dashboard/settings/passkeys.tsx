import { Anchor, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { PASSKEY_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { addPasskey, PASSKEYS as KEY, passkeysNeedName, passkeysSupported, usePasskeys } from "../api/passkey.ts";
import { Form, nameRules, useForm } from "../components/form.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { Items, RemoveWayIn, Section } from "./section.tsx";

export function Passkeys() {
  const [removing, setRemoving] = useState<PasskeyRecord>();
  const passkeys = usePasskeys();
  return (
    <Section id={KEY} title="Passkeys" text="Sign in with your device's own lock, without a password.">
      <Items
        query={passkeys}
        rows={passkeys.data}
        shape={32}
        icon="key"
        item={(passkey) => ({
          key: passkey.id,
          name: passkey.name || "Passkey",
          remark: passkey.createdAt && <>Added {<RelativeTime at={passkey.createdAt} />}</>,
          buttons: [{ label: "Remove", onClick: () => setRemoving(passkey) }],
        })}
      />
      <AddPasskey />
      {removing && (
        <RemoveWayIn
          title="Remove this passkey?"
          section={KEY}
          remove={(service) => service.request("POST", "/auth/passkey/delete-passkey", { id: removing.id }, "unspent")}
          changes={[KEY, "session"]}
          onClose={() => setRemoving(undefined)}
        >
          <Text className="breaks">
            <bdi translate="no">{removing.name || "This passkey"}</bdi> no longer signs you in. Its entry on your device
            stays until you remove it there.
          </Text>
        </RemoveWayIn>
      )}
    </Section>
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
        {...nameRules(PASSKEY_NAME_LENGTH_MAX)}
        placeholder="Office laptop"
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
