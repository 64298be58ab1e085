import { Alert, Checkbox, PasswordInput, Stack, Text } from "@mantine/core";
import { useRef } from "react";
import type { TrustedDeviceList } from "#contract/dashboard/session.ts";
import type { PasswordChanged } from "#contract/dashboard/sign-in.ts";
import { Form, NewPassword, PasswordOwner, useForm } from "../components/form.tsx";
import { PageLink } from "../components/page-link.tsx";
import { usePage } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useSession } from "../session/session.ts";
import { counted } from "../text/numbers.ts";
import { DEVICES } from "./devices.tsx";
import { Section } from "./section.tsx";

export function PasswordForm() {
  const { account } = useSession();
  const { queries } = usePage();
  const named = useRef<HTMLInputElement>(null);
  const form = useForm({
    initial: { currentPassword: "", newPassword: "", revokeTokens: false },
    send: (service, { currentPassword, ...asked }) => {
      const { has_password, two_factor } = account;
      const trusted = queries.getQueryData<TrustedDeviceList>([DEVICES])?.devices.some(({ current }) => current);
      // The form has no code, without which the password alone proves nothing.
      const proof = !has_password || (two_factor && trusted === false) ? "asked" : undefined;
      const form = has_password ? { currentPassword, ...asked } : asked;
      return service.request<PasswordChanged>("POST", "/auth/change-password", form, proof);
    },
    changes: ["session", "sessions", DEVICES, "tokens"],
    done: () => named.current?.form?.reset(),
  });
  return (
    <Section id="password" title="Password" text="A new password ends all other sessions and forgets trusted devices.">
      <Form
        form={form}
        label={account.has_password ? "Change password" : "Set a password"}
        failure="The password could not be changed"
        saved="Changed. All other sessions have ended."
        variant="default"
        maw={420}
      >
        <PasswordOwner ref={named} email={account.email} />
        {account.has_password && (
          <PasswordInput
            {...form.secret("currentPassword", "Current password")}
            autoComplete="current-password"
            required
          />
        )}
        <NewPassword {...form.secret("newPassword", "New password")} />
        <Checkbox
          {...form.checkbox("revokeTokens", "Revoke the tokens that I made")}
          description="In every store. Programs that use them stop at once."
        />
      </Form>
      {form.data && <StillOpen left={form.data} />}
    </Section>
  );
}

/** Lists what may be in the wrong hands too, if the old password was stolen. */
function StillOpen({ left: { active_tokens, passkeys, identities, webhooks } }: { readonly left: PasswordChanged }) {
  if (!active_tokens && !passkeys && !identities && !webhooks) return null;
  const named = [counted(active_tokens, "token"), counted(passkeys, "passkey")];
  if (identities > 0) named.push(counted(identities, "identity"));
  const last = named.pop();
  return (
    <Alert color="yellow" title="Did somebody else know your password?">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {named.join(", ")} and {last} still work, and events are sent to {counted(webhooks, "webhook endpoint")}.
          Remove the passkeys that you do not know below, revoke the{" "}
          <PageLink href={`${DEVELOPER}/tokens`} className="link">
            tokens
          </PageLink>{" "}
          that somebody may have copied, and disable the{" "}
          <PageLink href={`${DEVELOPER}/webhooks`} className="link">
            endpoints
          </PageLink>{" "}
          that you do not know.
        </Text>
      </Stack>
    </Alert>
  );
}
