import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { SecretOnce } from "./secret-once.tsx";

interface SecretDialogProps {
  readonly opened: boolean;
  readonly title: string;
  /** Once the token is made. */
  readonly secret: string | undefined;
  /** The form that makes it. */
  readonly children: ReactNode;
  readonly onClose: () => void;
}

/** A dialog that ends in a secret: closing it before the secret was copied or downloaded asks first. */
export function SecretDialog({ opened, title, secret, children, onClose }: SecretDialogProps) {
  const [kept, setKept] = useState(false);
  const [asking, setAsking] = useState(false);
  const close = () => {
    setKept(false);
    setAsking(false);
    onClose();
  };
  const leave = () => (secret !== undefined && !kept ? setAsking(true) : close());
  return (
    <Modal
      opened={opened}
      onClose={leave}
      title={secret === undefined ? title : "Your new token"}
      closeOnClickOutside={false}
    >
      {secret === undefined && children}
      {secret !== undefined && !asking && (
        <SecretOnce secret={secret} kept={kept} onKept={() => setKept(true)} onDone={leave} />
      )}
      {asking && (
        <Stack role="alert">
          <Text>The token was not copied yet, and will not be shown again. Close all the same?</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Close without copying
            </Button>
            <Button onClick={() => setAsking(false)} data-autofocus autoFocus>
              Show it again
            </Button>
          </Group>
        </Stack>
      )}
    </Modal>
  );
}
