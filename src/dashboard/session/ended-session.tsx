import { Text } from "@mantine/core";
import { useSignal } from "../api/signal.ts";
import { Dialog } from "../components/dialog.tsx";
import { ProviderWindowButton } from "../components/provider-button.tsx";
import { SignInForm } from "../entrance/sign-in-form.tsx";
import { useService } from "../program/page-context.tsx";
import { useSessionIfAny, useSignedIn } from "./session.ts";

/** The reader signs in again above the page, which keeps everything that was typed. */
export function EndedSession() {
  const ended = useSignal(useService().sessionEnded);
  const session = useSessionIfAny();
  const signedIn = useSignedIn();
  if (!session || !ended) return null;
  return (
    <Dialog
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      // Above every other dialog, whose own level is 200, and that of a proof.
      zIndex={400}
    >
      <Text mb="md">Sign in to go on where you were. What you typed is kept.</Text>
      <SignInForm email={session.account.email} done={signedIn}>
        {session.provider !== null && (
          <ProviderWindowButton label={`Sign in with ${session.provider}`} purpose="sign-in" done={signedIn} />
        )}
      </SignInForm>
    </Dialog>
  );
}
