import { useState } from "react";
import { CreateTokenForm } from "./create-token-form.tsx";
import { SecretDialog } from "./secret-dialog.tsx";

interface CreateTokenDialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  /** Told the secret once, as in the quick start, which puts it into its examples. */
  readonly onSecret?: (secret: string) => void;
}

export function CreateTokenDialog({ opened, onClose, onSecret }: CreateTokenDialogProps) {
  const [secret, setSecret] = useState<string>();
  const close = () => {
    setSecret(undefined);
    onClose();
  };
  return (
    <SecretDialog opened={opened} title="Make a token" secret={secret} onClose={close}>
      <CreateTokenForm
        onCancel={close}
        onCreated={(created) => {
          setSecret(created.secret);
          onSecret?.(created.secret);
        }}
      />
    </SecretDialog>
  );
}
