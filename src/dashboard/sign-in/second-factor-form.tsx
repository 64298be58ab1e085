import { Anchor, Button, Checkbox, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { z } from "zod";
import { request } from "../api/request.ts";
import { FailureNotice } from "../failure-notice.tsx";

/** The code of an authenticator app, or one of the backup codes. */
export function SecondFactorForm({ done }: { readonly done: () => Promise<void> }) {
  const [code, setCode] = useState("");
  const [trustDevice, setTrustDevice] = useState(false);
  const [backup, setBackup] = useState(false);
  const verify = useMutation({
    mutationFn: async () => {
      const step = backup ? "verify-backup-code" : "verify-totp";
      await request("POST", `/auth/two-factor/${step}`, z.unknown(), { code: code.trim(), trustDevice });
      await done();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        verify.mutate();
      }}
    >
      <Stack>
        <TextInput
          key={String(backup)}
          label={backup ? "Backup code" : "Code from your authenticator app"}
          autoComplete="one-time-code"
          inputMode={backup ? "text" : "numeric"}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          autoFocus
        />
        <Checkbox
          label="Do not ask for a code on this device for 30 days"
          checked={trustDevice}
          onChange={(event) => setTrustDevice(event.currentTarget.checked)}
        />
        <FailureNotice cause={verify.error} />
        <Button type="submit" loading={verify.isPending} fullWidth>
          Go on
        </Button>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            setBackup(!backup);
            setCode("");
          }}
        >
          {backup ? "Use the authenticator app" : "The app is not at hand: use a backup code"}
        </Anchor>
      </Stack>
    </form>
  );
}
