import { Button, Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { isDismissal, passkeyAnswer, passkeysNeedName, passkeysSupported } from "../api/passkey.ts";
import { useSignal } from "../api/signal.ts";
import { formValues } from "../browser/draft.ts";
import { Dialog } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { FormEnd } from "../components/form-end.tsx";
import { Icon } from "../components/icon.tsx";
import { useService } from "../program/page-context.tsx";
import { useSessionIfAny } from "./session.ts";

/** Above the dialog of the form that needs the proof. */
const ABOVE_FORMS = 300;
const FOCUS_EVERY_MS = 20;
const FOCUS_TRIES = 50;

/** Asks the reader to confirm their identity before an important change, which then continues by itself. */
export function ProofDialog() {
  const { proofs } = useService();
  const wanted = useSignal(proofs.wanted);
  const session = useSessionIfAny();
  const asker = useRef<EventTarget>(null);
  useEffect(() => {
    // A waiting button is disabled, and has lost the focus by the time the proof is requested.
    const note = ({ target }: FocusEvent) => {
      if (!proofs.wanted.get()) asker.current = target;
    };
    document.addEventListener("focusin", note);
    return () => document.removeEventListener("focusin", note);
  }, [proofs]);
  if (!session) return null;
  const dismiss = () => {
    proofs.dismiss();
    focusOnceEnabled(asker.current, FOCUS_TRIES);
  };
  return (
    // The focus is not returned automatically: after a proof it belongs to the next step.
    <Dialog opened={wanted} onClose={dismiss} title="Confirm that it is you" zIndex={ABOVE_FORMS} returnFocus={false}>
      <ProofForm onDismiss={dismiss} email={session.account.email} twoFactor={session.account.two_factor} />
    </Dialog>
  );
}

/** A waiting button can take the focus only once it is enabled again. */
function focusOnceEnabled(asker: EventTarget | null, tries: number): void {
  if (!(asker instanceof HTMLElement) || tries === 0) return;
  if (asker.matches(":disabled")) setTimeout(() => focusOnceEnabled(asker, tries - 1), FOCUS_EVERY_MS);
  else asker.focus();
}

interface ProofFormProps {
  readonly email: string;
  readonly twoFactor: boolean;
  readonly onDismiss: () => void;
}

function ProofForm({ email, twoFactor, onDismiss }: ProofFormProps) {
  const service = useService();
  const [code, setCode] = useState("");
  const prove = useMutation({
    mutationFn: (proof: object) => service.api("POST", "/proof", proof),
    onSuccess: () => service.proofs.proven(),
    gcTime: 0,
  });
  const passkey = useMutation({
    mutationFn: async () => prove.mutateAsync({ passkey: await passkeyAnswer(service) }),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        event.stopPropagation();
        const { password = "" } = formValues(event.currentTarget);
        prove.mutate({ password, ...(twoFactor ? { code: code.trim() } : {}) });
      }}
    >
      <Stack>
        <Text size="sm" c="dimmed">
          This change is protected. You are asked once, and not again for 15 minutes.
        </Text>
        {/* Tells a password manager whose password it is. */}
        <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
        <PasswordInput name="password" label="Password" autoComplete="current-password" required data-autofocus />
        {twoFactor && (
          <TextInput
            label="Code from your authenticator app, or a backup code"
            autoComplete="one-time-code"
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
            required
          />
        )}
        <FormEnd mutation={prove} label="Confirm" onCancel={onDismiss} />
        {passkeysSupported && !passkeysNeedName && (
          <>
            <Divider label="or" />
            <Button
              variant="default"
              leftSection={<Icon name="key" />}
              loading={passkey.isPending}
              onClick={() => passkey.mutate()}
            >
              Use a passkey
            </Button>
            {!isDismissal(passkey.error) && !prove.error && <FailureNotice cause={passkey.error} />}
          </>
        )}
      </Stack>
    </form>
  );
}
