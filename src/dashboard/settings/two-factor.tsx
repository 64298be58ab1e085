import { Center, Group, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import type { TwoFactorSetup } from "#contract/dashboard/sign-in.ts";
import { useChange } from "../api/asking.ts";
import { Dismissed } from "../api/failure.ts";
import { Action } from "../components/action.tsx";
import { CopiedCode } from "../components/copy-button.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Form, useForm } from "../components/form.tsx";
import { Question } from "../components/form-dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { QrCode } from "../components/qr-code.tsx";
import { SecretDialog, type ShownSecret } from "../components/secret-dialog.tsx";
import { useSession } from "../session/session.ts";
import { Section } from "./section.tsx";

const CHANGED = ["session", "sessions", "trusted-devices"];

type NewCodes = Pick<TwoFactorSetup, "backupCodes">;

/** The dialog that is open: the code that turns it on leads to the codes for a lost phone, which new ones replace. */
type Step =
  | { readonly name: "first code"; readonly setup: TwoFactorSetup }
  | ({ readonly name: "codes" } & NewCodes)
  | { readonly name: "ending" };

export function TwoFactor() {
  const on = useSession().account.two_factor;
  const [step, setStep] = useState<Step>();
  const begin = useChange(
    (service) => service.request<TwoFactorSetup>("POST", "/auth/two-factor/enable", {}, "asked"),
    { done: (setup) => setStep({ name: "first code", setup }) },
  );
  const renew = useChange(
    (service) => service.request<NewCodes>("POST", "/auth/two-factor/generate-backup-codes", {}, "asked"),
    { done: ({ backupCodes }) => setStep({ name: "codes", backupCodes }) },
  );
  const close = () => setStep(undefined);
  return (
    <Section id="two-factor" title="Two-factor sign-in" text="A code from your phone, in addition to the password.">
      <Group gap={6}>
        <Icon name={on ? "check" : "blocked"} />
        <Text>{on ? "On" : "Off"}</Text>
      </Group>
      <Group>
        {!on && <Action label="Turn on" change={begin} />}
        {on && <Action label="Make new backup codes" change={renew} />}
        {on && <Action label="Turn off" onClick={() => setStep({ name: "ending" })} />}
      </Group>
      <FailureNotice cause={begin.error ?? renew.error} />
      {(step?.name === "first code" || step?.name === "codes") && (
        <SecretDialog
          title="Turn on two-factor sign-in"
          secret={step.name === "codes" ? shownCodes(step.backupCodes) : undefined}
          onClose={close}
        >
          {step.name === "first code" && (
            <FirstCode
              uri={step.setup.totpURI}
              onConfirmed={() => setStep({ name: "codes", backupCodes: step.setup.backupCodes })}
              onCancel={close}
            />
          )}
        </SecretDialog>
      )}
      {step?.name === "ending" && <EndTwoFactor onClose={close} />}
    </Section>
  );
}

function shownCodes(values: readonly string[]): ShownSecret {
  return {
    what: "backup codes",
    title: "Your backup codes",
    warning:
      "Keep these codes where you find them without your phone. Each signs you in once. They are not shown again.",
    values,
    file: { name: "plantstore-backup-codes.txt", content: `${values.join("\n")}\n` },
  };
}

interface FirstCodeProps {
  readonly uri: string;
  readonly onConfirmed: () => void;
  readonly onCancel: () => void;
}

/** The second factor takes effect once a correct code of the app was entered. */
function FirstCode({ uri, onConfirmed, onCancel }: FirstCodeProps) {
  const form = useForm({
    initial: { code: "" },
    send: (service, { code }) =>
      service.request("POST", "/auth/two-factor/verify-totp", { code: code.trim() }, "asked"),
    again: "code",
    changes: CHANGED,
    done: onConfirmed,
  });
  return (
    <Form form={form} label="Turn on" onCancel={onCancel}>
      <Text size="sm">Scan this with your authenticator app, or type the key into it:</Text>
      <Center>
        <QrCode text={uri} label="QR code of the key below" />
      </Center>
      <CopiedCode value={inGroups(new URL(uri).searchParams.get("secret") ?? "")} what="key" />
      <TextInput
        {...form.field("code", "Code that the app shows")}
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        data-autofocus
      />
    </Form>
  );
}

/** Groups of four letters, as they are easiest to type. Authenticator apps ignore the spaces. */
function inGroups(key: string): string {
  return key.replaceAll(/.{4}(?=.)/g, "$& ");
}

function EndTwoFactor({ onClose }: { readonly onClose: () => void }) {
  return (
    <Question
      title="Turn off two-factor sign-in?"
      label="Turn off"
      send={(service) =>
        service.request("POST", "/auth/two-factor/disable", {}, "asked").catch((cause) => {
          if (!(cause instanceof Dismissed)) throw cause;
        })
      }
      changes={CHANGED}
      done={(_, renewed) => renewed}
      close={onClose}
      onClose={onClose}
    >
      <Text>From then on the password alone signs you in, and trusted devices are forgotten.</Text>
    </Question>
  );
}
