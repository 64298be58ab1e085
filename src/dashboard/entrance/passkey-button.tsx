import { Button, Stack } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { isDismissal, passkeysNeedName, passkeysSupported, signInWithPasskey } from "../api/passkey.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { useService } from "../program/page-context.tsx";

export function PasskeyButton({ done }: { readonly done: () => Promise<void> }) {
  const service = useService();
  const signIn = useMutation({
    mutationFn: async () => {
      await signInWithPasskey(service);
      await done();
    },
  });
  if (!passkeysSupported || passkeysNeedName) return null;
  return (
    <Stack>
      <Button
        variant="default"
        leftSection={<Icon name="key" />}
        loading={signIn.isPending}
        onClick={() => signIn.mutate()}
        fullWidth
      >
        Sign in with a passkey
      </Button>
      {!isDismissal(signIn.error) && <FailureNotice cause={signIn.error} />}
    </Stack>
  );
}
