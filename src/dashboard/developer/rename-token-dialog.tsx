import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { TOKEN_NAME_LENGTH_MAX, type TokenRecord } from "#contract/dashboard.ts";
import { useDraft } from "../draft.ts";
import { FailureNotice } from "../failure-notice.tsx";
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
          <FailureNotice cause={rename.error} title="Cannot rename the token" />
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={rename.isPending}>
              Rename
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
