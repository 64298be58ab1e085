import { Button, Group, Modal, Text } from "@mantine/core";
import { useState } from "react";
import { Icon } from "../icon.tsx";
import { useSession } from "../session/session.ts";
import { BackupCodes } from "./backup-codes.tsx";
import { PasswordForm } from "./password-form.tsx";
import { Section } from "./section.tsx";
import { useEndTwoFactor, useNewBackupCodes } from "./two-factor.ts";
import { TwoFactorSetupSteps } from "./two-factor-setup.tsx";

type Dialog = "on" | "off" | "codes" | undefined;

export function TwoFactorSection() {
  const on = useSession().account.two_factor;
  const [dialog, setDialog] = useState<Dialog>();
  const close = () => setDialog(undefined);
  return (
    <Section id="two-factor" title="Two-factor sign-in" text="A code from your phone, beside the password.">
      <Group gap={6}>
        <Icon name={on ? "check" : "blocked"} />
        <Text>{on ? "On" : "Off"}</Text>
      </Group>
      <Group>
        {!on && (
          <Button variant="default" onClick={() => setDialog("on")}>
            Turn on
          </Button>
        )}
        {on && (
          <>
            <Button variant="default" onClick={() => setDialog("codes")}>
              New backup codes
            </Button>
            <Button variant="default" onClick={() => setDialog("off")}>
              Turn off
            </Button>
          </>
        )}
      </Group>
      <Modal opened={dialog === "on"} onClose={close} title="Turn on two-factor sign-in" closeOnClickOutside={false}>
        <TwoFactorSetupSteps onDone={close} />
      </Modal>
      <Modal opened={dialog === "off"} onClose={close} title="Turn off two-factor sign-in">
        <EndTwoFactor onDone={close} />
      </Modal>
      <Modal opened={dialog === "codes"} onClose={close} title="New backup codes" closeOnClickOutside={false}>
        <NewBackupCodes onDone={close} />
      </Modal>
    </Section>
  );
}

function EndTwoFactor({ onDone }: { readonly onDone: () => void }) {
  return (
    <PasswordForm
      text="From then on the password alone signs you in."
      label="Turn off"
      change={useEndTwoFactor()}
      onDone={onDone}
      onCancel={onDone}
    />
  );
}

function NewBackupCodes({ onDone }: { readonly onDone: () => void }) {
  const make = useNewBackupCodes();
  const [codes, setCodes] = useState<readonly string[]>();
  if (codes) return <BackupCodes codes={codes} onDone={onDone} />;
  return (
    <PasswordForm
      text="The old codes end with it."
      label="Make new codes"
      change={make}
      onDone={({ backupCodes }) => setCodes(backupCodes)}
      onCancel={onDone}
    />
  );
}
