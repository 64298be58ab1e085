import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import type { TokenRecord } from "#contract/dashboard.ts";
import { announce } from "../announcer.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { RelativeTime } from "../relative-time.tsx";
import { useRevokeToken } from "./tokens.ts";

export function RevokeTokenDialog({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const revoke = useRevokeToken(token.id);
  const submit = () =>
    revoke.mutate(undefined, {
      onSuccess: () => {
        announce(`${token.name} is revoked`);
        onClose();
      },
    });
  return (
    <Modal opened onClose={onClose} title={`Revoke ${token.name}?`}>
      <Stack>
        <Text>Within a second every request with {token.hint} is refused. This cannot be undone.</Text>
        <Text size="sm" c="dimmed">
          {token.last_used_at ? (
            <>
              It was last used <RelativeTime at={token.last_used_at} />.
            </>
          ) : (
            "It was never used."
          )}
        </Text>
        <FailureNotice cause={revoke.error} title="Cannot revoke the token" />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={revoke.isPending} onClick={submit}>
            Revoke
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
