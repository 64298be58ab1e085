import { Modal, Stack, TextInput } from "@mantine/core";
import { TOKEN_NAME_LENGTH_MAX, type TokenRecord } from "#contract/dashboard.ts";
import { useDraft } from "../draft.ts";
import { FormEnd } from "../form-end.tsx";
import { useRenameToken } from "./tokens.ts";

export function RenameTokenDialog({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const { form, change, clear } = useDraft(`token-name:${token.id}`, { name: token.name });
  const rename = useRenameToken(token.id);
  const close = () => {
    clear();
    onClose();
  };
  return (
    <Modal opened onClose={close} title={`Rename ${token.name}`}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          rename.mutate({ name: form.name.trim() }, { onSuccess: close });
        }}
      >
        <Stack>
          <TextInput
            label="Name"
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            maxLength={TOKEN_NAME_LENGTH_MAX}
            pattern=".*\S.*"
            required
            data-autofocus
          />
          <FormEnd mutation={rename} label="Rename" failure="Cannot rename the token" onCancel={close} />
        </Stack>
      </form>
    </Modal>
  );
}
