import { Stack, TextInput } from "@mantine/core";
import type { RenameForm, TokenRecord } from "#contract/dashboard/tokens.ts";
import { TOKEN_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { useDraft } from "../browser/draft.ts";
import { Dialog } from "../components/dialog.tsx";
import { FormEnd } from "../components/form-end.tsx";
import { useTokenChange } from "./tokens.ts";

/** The dialog that renames a token. Escape keeps what was typed for the next time. */
export function RenameToken({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const { form, change, clear } = useDraft(`token-name:${token.id}`, { name: token.name });
  const rename = useTokenChange((service, asked: RenameForm) =>
    service.api<TokenRecord>("PATCH", `/tokens/${token.id}`, asked),
  );
  const close = () => {
    clear();
    onClose();
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={
        <>
          Rename <bdi>{token.name}</bdi>
        </>
      }
    >
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
          <FormEnd mutation={rename} label="Rename" failure="The token could not be renamed" onCancel={close} />
        </Stack>
      </form>
    </Dialog>
  );
}
