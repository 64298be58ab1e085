import { Modal, Text } from "@mantine/core";
import { sessionEnded } from "../api/request.ts";
import { SignInForm } from "../sign-in/sign-in-form.tsx";
import { useSignal } from "../signal.ts";
import { useSession, useSignedIn } from "./session.ts";

/** Above every other dialog, whose own is 200. */
const ABOVE_ALL = 400;

/** The session is over: one signs in above the page, which keeps everything that was typed. */
export function EndedSession() {
  const ended = useSignal(sessionEnded);
  const { account } = useSession();
  const signedIn = useSignedIn();
  return (
    <Modal
      opened={ended}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title="Your session has ended"
      zIndex={ABOVE_ALL}
    >
      <Text mb="md">Sign in to go on where you were. Nothing that you typed is lost.</Text>
      <SignInForm email={account.email} done={signedIn} />
    </Modal>
  );
}
