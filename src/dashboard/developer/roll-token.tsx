import { NativeSelect, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { NewTokenSecret, RollForm, TokenRecord } from "#contract/dashboard/tokens.ts";
import { FormEnd } from "../components/form-end.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { usePage } from "../program/page-context.tsx";
import { expiryTime } from "./token-expiry.ts";
import { TokenExpiryField } from "./token-expiry-field.tsx";
import { shownToken, useTokenChange } from "./tokens.ts";

const OVERLAPS = [
  { value: "0", label: "Immediately" },
  { value: "3600", label: "In an hour" },
  { value: "86400", label: "In a day" },
  { value: "604800", label: "In a week" },
];
const SAME = "same";
const DAY_MS = 86_400_000;

/** A new token for the same purpose. The old one works until the programs that use it have switched. */
export function RollToken({ token, onClose }: { readonly token: TokenRecord; readonly onClose: () => void }) {
  const { service, madeToken } = usePage();
  const [form, setForm] = useState({ overlap: "86400", expiry: SAME, date: "" });
  const [secret, setSecret] = useState<string>();
  const roll = useTokenChange((service, asked: RollForm) =>
    service.api<NewTokenSecret>("POST", `/tokens/${token.id}/roll`, asked),
  );
  const submit = () => {
    const { expiry, date, overlap } = form;
    const chosen = expiry === SAME ? {} : { expires_at: expiryTime(expiry, date, service.clock.now()) };
    roll.mutate(
      { overlap_seconds: Number(overlap), ...chosen },
      {
        onSuccess: (rolled) => {
          setSecret(rolled.secret);
          madeToken.set(rolled.secret);
        },
      },
    );
  };
  return (
    <SecretDialog
      opened
      title={
        <>
          Roll <bdi>{token.name}</bdi>
        </>
      }
      secret={secret === undefined ? undefined : shownToken(secret)}
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <Text>A new token replaces it, with the same name and access.</Text>
          <NativeSelect
            label={`The old token (${token.hint}) expires`}
            data={OVERLAPS}
            value={form.overlap}
            onChange={(event) => setForm({ ...form, overlap: event.currentTarget.value })}
            data-autofocus
          />
          <TokenExpiryField
            label="The new token expires"
            expiry={form.expiry}
            date={form.date}
            onChange={(change) => setForm({ ...form, ...change })}
            before={[{ value: SAME, label: `As before: ${termOf(token)}` }]}
          />
          <FormEnd mutation={roll} label="Roll token" failure="The token could not be rolled" onCancel={onClose} />
        </Stack>
      </form>
    </SecretDialog>
  );
}

/** The lifetime that the token was created with; rolling it starts that time again. */
export function termOf({ created_at, expires_at }: Pick<TokenRecord, "created_at" | "expires_at">): string {
  if (expires_at === null) return "never";
  const days = Math.max(1, Math.round((Date.parse(expires_at) - Date.parse(created_at)) / DAY_MS));
  return days === 1 ? "in a day" : `in ${days} days`;
}
