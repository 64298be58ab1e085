import { Center, Code, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { TwoFactorSetup } from "#contract/dashboard.ts";
import { FormEnd } from "../form-end.tsx";
import { BackupCodes } from "./backup-codes.tsx";
import { PasswordForm } from "./password-form.tsx";
import { QrCode } from "./qr-code.tsx";
import { useBeginTwoFactor, useConfirmTwoFactor } from "./two-factor.ts";

/** Password, then a first code of the app, then the backup codes. */
export function TwoFactorSetupSteps({ onDone }: { readonly onDone: () => void }) {
  const begin = useBeginTwoFactor();
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [confirmed, setConfirmed] = useState(false);
  if (!setup) {
    return (
      <PasswordForm
        text="You will need an authenticator app on your phone."
        label="Go on"
        change={begin}
        onDone={setSetup}
        onCancel={onDone}
      />
    );
  }
  if (confirmed) return <BackupCodes codes={setup.backupCodes} onDone={onDone} />;
  return <FirstCode uri={setup.totpURI} onConfirmed={() => setConfirmed(true)} onCancel={onDone} />;
}

interface FirstCodeProps {
  readonly uri: string;
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}

function FirstCode({ uri, onConfirmed, onCancel }: FirstCodeProps) {
  const [code, setCode] = useState("");
  const confirm = useConfirmTwoFactor();
  const secret = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate(code, { onSuccess: onConfirmed });
      }}
    >
      <Stack>
        <Text size="sm">Scan this with your authenticator app, or type the key into it:</Text>
        <Center>
          <QrCode text={uri} label="QR code of the key below" />
        </Center>
        <Code style={{ overflowWrap: "anywhere" }}>{secret}</Code>
        <TextInput
          label="Code that the app shows"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          autoFocus
        />
        <FormEnd mutation={confirm} label="Turn it on" onCancel={onCancel} />
      </Stack>
    </form>
  );
}
