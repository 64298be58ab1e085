import { Divider, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useRef } from "react";
import type { SessionView } from "#contract/dashboard/session.ts";
import type { Proof } from "#contract/dashboard/sign-in.ts";
import { Dismissed } from "../api/failure.ts";
import { passkeyAnswer, passkeysUsable, usePasskeys } from "../api/passkey.ts";
import { useSignal } from "../api/signal.ts";
import { Dialog } from "../components/dialog.tsx";
import { Form, PasswordOwner, useForm } from "../components/form.tsx";
import { PasskeyButton } from "../components/passkey-button.tsx";
import { ProviderWindowButton } from "../components/provider-button.tsx";
import { useService } from "../program/page-context.tsx";
import { useSessionIfAny } from "./session.ts";

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
  if (!session || !wanted) return null;
  const dismiss = () => {
    proofs.end(new Dismissed("Not confirmed"));
    focusOnceEnabled(asker.current);
  };
  return (
    // Above the dialog of the form that needs the proof. The focus is not returned automatically: after a proof it
    // belongs to the next step.
    <Dialog onClose={dismiss} title="Confirm that it is you" zIndex={300} returnFocus={false}>
      <ProofForm onDismiss={dismiss} session={session} />
    </Dialog>
  );
}

/** A waiting button can take the focus only once it is enabled again, for which a second is enough. */
function focusOnceEnabled(asker: EventTarget | null, tries = 50): void {
  if (!(asker instanceof HTMLElement) || tries === 0) return;
  if (asker.matches(":disabled")) setTimeout(() => focusOnceEnabled(asker, tries - 1), 20);
  else asker.focus();
}

interface ProofFormProps {
  readonly session: SessionView;
  readonly onDismiss: () => void;
}

function ProofForm({ session: { account, provider }, onDismiss }: ProofFormProps) {
  const service = useService();
  const passkeys = usePasskeys(passkeysUsable());
  // A failed list may hide a passkey; a person without password and provider has one.
  const isOnly = !account.has_password && provider === null;
  const hasPasskey = passkeysUsable() && (isOnly || (passkeys.data ? passkeys.data.length > 0 : passkeys.isError));
  const take = (until: string) => {
    service.proofs.last = { kind: "asked", until };
  };
  const prove = async (proof: object) => take((await service.api<Proof>("POST", "/proof", proof)).until);
  const done = () => service.proofs.end();
  const form = useForm({
    initial: { password: "", code: "" },
    send: (_, { password, code }) => prove({ password, ...(account.two_factor ? { code: code.trim() } : {}) }),
    again: "password",
    done,
  });
  return (
    <Stack>
      <Text variant="remark">This change is protected. You are asked once, and not again for 15 minutes.</Text>
      {account.has_password && (
        <Form form={form} label="Confirm" onCancel={onDismiss}>
          <PasswordOwner email={account.email} />
          <PasswordInput
            {...form.secret("password", "Password")}
            autoComplete="current-password"
            required
            data-autofocus
          />
          {account.two_factor && (
            <TextInput
              {...form.field("code", "Code from your authenticator app, or a backup code")}
              autoComplete="one-time-code"
              required
            />
          )}
        </Form>
      )}
      {account.has_password && hasPasskey && <Divider label="or" />}
      {!account.has_password && provider !== null && (
        <ProviderWindowButton
          label={`Confirm with ${provider}`}
          purpose="proof"
          done={({ until }) => {
            take(until ?? "");
            done();
          }}
        />
      )}
      {hasPasskey && (
        <PasskeyButton
          label="Use a passkey"
          use={async () => {
            await prove({ passkey: await passkeyAnswer(service) });
            done();
          }}
        />
      )}
    </Stack>
  );
}
