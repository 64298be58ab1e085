import { Button, Center, Code, Group, Stack, Text, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { SessionView } from "#contract/dashboard/session.ts";
import type { TwoFactorSetup } from "#contract/dashboard/sign-in.ts";
import { Dismissed } from "../api/failure.ts";
import { Dialog } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { FormEnd } from "../components/form-end.tsx";
import { Icon } from "../components/icon.tsx";
import { SecretDialog, type ShownSecret } from "../components/secret-dialog.tsx";
import { useService } from "../program/page-context.tsx";
import { keepSession, useSession } from "../session/session.ts";
import { QrCode } from "./qr-code.tsx";
import { Section } from "./section.tsx";

/** The state of the second factor, and its dialogs: turning it on, new backup codes, turning it off. */
export function TwoFactor() {
  const on = useSession().account.two_factor;
  const service = useService();
  const [setup, setSetup] = useState<TwoFactorSetup>();
  const [codes, setCodes] = useState<readonly string[]>();
  const [ending, setEnding] = useState(false);
  const begin = useMutation({
    mutationFn: () => service.request<TwoFactorSetup>("POST", "/auth/two-factor/enable"),
    onSuccess: setSetup,
    gcTime: 0,
  });
  const renew = useMutation({
    mutationFn: () => service.request<{ backupCodes: string[] }>("POST", "/auth/two-factor/generate-backup-codes"),
    onSuccess: ({ backupCodes }) => setCodes(backupCodes),
    gcTime: 0,
  });
  const close = () => {
    setSetup(undefined);
    setCodes(undefined);
  };
  return (
    <Section id="two-factor" title="Two-factor sign-in" text="A code from your phone, in addition to the password.">
      <Group gap={6}>
        <Icon name={on ? "check" : "blocked"} />
        <Text>{on ? "On" : "Off"}</Text>
      </Group>
      <Group>
        {!on && (
          <Button variant="default" loading={begin.isPending} onClick={() => begin.mutate()}>
            Turn on
          </Button>
        )}
        {on && (
          <Button variant="default" loading={renew.isPending} onClick={() => renew.mutate()}>
            New backup codes
          </Button>
        )}
        {on && (
          <Button variant="default" onClick={() => setEnding(true)}>
            Turn off
          </Button>
        )}
      </Group>
      <FailureNotice cause={begin.error ?? renew.error} />
      <SecretDialog
        opened={setup !== undefined || codes !== undefined}
        title="Turn on two-factor sign-in"
        secret={codes && backupCodes(codes)}
        onClose={close}
      >
        {setup && <FirstCode setup={setup} onConfirmed={() => setCodes(setup.backupCodes)} onCancel={close} />}
      </SecretDialog>
      <Dialog opened={ending} onClose={() => setEnding(false)} title="Turn off two-factor sign-in?">
        <EndTwoFactor onDone={() => setEnding(false)} />
      </Dialog>
    </Section>
  );
}

function backupCodes(values: readonly string[]): ShownSecret {
  return {
    what: "backup codes",
    title: "Your backup codes",
    warning:
      "Keep these codes where you find them without your phone. Each signs you in once. They are not shown again.",
    values,
    file: { name: "plantstore-backup-codes.txt", label: "Download", content: `${values.join("\n")}\n` },
  };
}

interface FirstCodeProps {
  readonly setup: TwoFactorSetup;
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}

/** The second factor takes effect once a correct code of the app was entered. */
function FirstCode({ setup, onConfirmed, onCancel }: FirstCodeProps) {
  const service = useService();
  const renewSession = useRenewedSession();
  const [code, setCode] = useState("");
  const confirm = useMutation({
    mutationFn: () => service.request("POST", "/auth/two-factor/verify-totp", { code: code.trim() }),
    onSuccess: async () => {
      onConfirmed();
      await renewSession();
    },
  });
  const secret = new URL(setup.totpURI).searchParams.get("secret") ?? "";
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        confirm.mutate();
      }}
    >
      <Stack>
        <Text size="sm">Scan this with your authenticator app, or type the key into it:</Text>
        <Center>
          <QrCode text={setup.totpURI} label="QR code of the key below" />
        </Center>
        <Code className="breaks">{secret}</Code>
        <TextInput
          label="Code that the app shows"
          inputMode="numeric"
          autoComplete="one-time-code"
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          data-autofocus
        />
        <FormEnd mutation={confirm} label="Turn on" onCancel={onCancel} />
      </Stack>
    </form>
  );
}

function EndTwoFactor({ onDone }: { readonly onDone: () => void }) {
  const service = useService();
  const renewSession = useRenewedSession();
  const end = useMutation({
    mutationFn: () => service.request("POST", "/auth/two-factor/disable"),
    onSuccess: async () => {
      await renewSession();
      onDone();
    },
    onError: (cause) => cause instanceof Dismissed && onDone(),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        end.mutate();
      }}
    >
      <Stack>
        <Text>From then on the password alone signs you in, and trusted devices are forgotten.</Text>
        <FormEnd mutation={end} label="Turn off" color="red" onCancel={onDone} />
      </Stack>
    </form>
  );
}

function useRenewedSession() {
  const service = useService();
  const queries = useQueryClient();
  return async () => {
    keepSession(queries, await service.api<SessionView>("GET", "/session"));
    await queries.invalidateQueries({ queryKey: ["sessions"] });
    await queries.invalidateQueries({ queryKey: ["trusted-devices"] });
  };
}
