import { Button, Group, Stack, Text } from "@mantine/core";
import type { TokenRecord } from "#contract/dashboard/tokens.ts";
import { useAnnounce } from "../components/announcer.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useTokenChange } from "./tokens.ts";

export function RevokeToken({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const announce = useAnnounce();
  const revoke = useTokenChange((service) => service.api<TokenRecord>("POST", `/tokens/${token.id}/revoke`));
  const submit = () =>
    revoke.mutate(undefined, {
      onSuccess: () => {
        announce(`${token.name} is revoked`);
        onClose();
      },
    });
  return (
    <Dialog
      opened
      onClose={onClose}
      title={
        <>
          Revoke <bdi>{token.name}</bdi>?
        </>
      }
    >
      <Stack>
        <Text>Every request with {token.hint} is refused from then on. This cannot be undone.</Text>
        <Text size="sm" c="dimmed">
          {token.last_used_at ? (
            <>
              Last used <RelativeTime at={token.last_used_at} />.
            </>
          ) : (
            "It was never used."
          )}
        </Text>
        <FailureNotice cause={revoke.error} title="The token could not be revoked" />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose} data-autofocus>
            Cancel
          </Button>
          <Button color="red" loading={revoke.isPending} onClick={submit}>
            Revoke
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
