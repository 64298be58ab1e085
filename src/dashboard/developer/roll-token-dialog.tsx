import { NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { TokenRecord } from "#contract/dashboard.ts";
import { FormEnd } from "../form-end.tsx";
import { SecretDialog } from "./secret-dialog.tsx";
import { useRollToken } from "./tokens.ts";

const OVERLAPS = [
  { value: "0", label: "At once" },
  { value: "3600", label: "In an hour" },
  { value: "86400", label: "In a day" },
  { value: "604800", label: "In a week" },
];

/** A new secret for the same purpose; the old one goes on for as long as its users need to change over. */
export function RollTokenDialog({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const [overlap, setOverlap] = useState("86400");
  const [secret, setSecret] = useState<string>();
  const roll = useRollToken(token.id);
  const submit = () =>
    roll.mutate({ overlap_seconds: Number(overlap) }, { onSuccess: (rolled) => setSecret(rolled.secret) });
  return (
    <SecretDialog opened title={`Roll ${token.name}`} secret={secret} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <Text>A new token takes its place, with the same name, access and expiry.</Text>
          <NativeSelect
            label={`The old one (${token.hint}) ends`}
            data={OVERLAPS}
            value={overlap}
            onChange={(event) => setOverlap(event.currentTarget.value)}
            data-autofocus
          />
          <FormEnd mutation={roll} label="Roll the token" failure="Cannot roll the token" onCancel={onClose} />
        </Stack>
      </form>
    </SecretDialog>
  );
}
