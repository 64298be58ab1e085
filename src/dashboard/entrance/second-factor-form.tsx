import { Anchor, Checkbox, Stack, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { FailureNotice } from "../components/failure-notice.tsx";
import { SubmitButton } from "../components/submit-button.tsx";
import { useService } from "../program/page-context.tsx";

/** The code of an authenticator app, or one of the backup codes. */
export function SecondFactorForm({ done }: { readonly done: () => Promise<void> }) {
  const service = useService();
  const field = useRef<HTMLInputElement>(null);
  const [code, setCode] = useState("");
  const [trustDevice, setTrustDevice] = useState(false);
  const [backup, setBackup] = useState(false);
  const verify = useMutation({
    mutationFn: async () => {
      const step = backup ? "verify-backup-code" : "verify-totp";
      await service.request("POST", `/auth/two-factor/${step}`, { code: code.trim(), trustDevice });
      await done();
    },
    onError: () => {
      field.current?.focus();
      field.current?.select();
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
          ref={field}
          label={backup ? "Backup code" : "Code from your authenticator app"}
          autoComplete="one-time-code"
          inputMode={backup ? "text" : "numeric"}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
          required
          autoFocus
        />
        <Checkbox
          label="Trust this device for 30 days"
          checked={trustDevice}
          onChange={(event) => setTrustDevice(event.currentTarget.checked)}
        />
        <FailureNotice cause={verify.error} />
        <SubmitButton pending={verify.isPending} fullWidth>
          Continue
        </SubmitButton>
        <Anchor
          component="button"
          type="button"
          size="sm"
          onClick={() => {
            setBackup(!backup);
            setCode("");
            verify.reset();
          }}
        >
          {backup ? "Use the authenticator app" : "Use a backup code"}
        </Anchor>
      </Stack>
    </form>
  );
}
