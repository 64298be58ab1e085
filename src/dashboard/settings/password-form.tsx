import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { Link } from "wouter";
import type { ChangePasswordForm, PasswordChanged } from "#contract/dashboard/sign-in.ts";
import { formValues } from "../draft.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { NewPassword } from "../new-password.tsx";
import { counted } from "../numbers.ts";
import { DEVELOPER } from "../page-addresses.ts";
import { useService } from "../page-context.tsx";
import { useSession } from "../session/session.ts";
import { SubmitButton } from "../submit-button.tsx";
import { Saved } from "./saved.tsx";
import { Section } from "./section.tsx";

export function PasswordForm() {
  const { account } = useSession();
  const service = useService();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: (asked: ChangePasswordForm) => service.request<PasswordChanged>("POST", "/auth/change-password", asked),
    onSuccess: () => {
      form.current?.reset();
      void queries.invalidateQueries({ queryKey: ["sessions"] });
      void queries.invalidateQueries({ queryKey: ["trusted-devices"] });
    },
    gcTime: 0,
  });
  return (
    <Section id="password" title="Password" text="A new password ends all other sessions and forgets trusted devices.">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          const { currentPassword, newPassword = "" } = formValues(event.currentTarget);
          change.mutate({ currentPassword, newPassword });
        }}
      >
        <Stack maw={420}>
          {/* Tells a password manager whose password it is. */}
          <input type="hidden" name="username" autoComplete="username" value={account.email} readOnly />
          <PasswordInput name="currentPassword" label="Current password" autoComplete="current-password" required />
          <NewPassword name="newPassword" label="New password" />
          <FailureNotice cause={change.error} title="The password could not be changed" />
          <Group>
            <SubmitButton variant="default" pending={change.isPending}>
              Change password
            </SubmitButton>
            <Saved when={change.isSuccess} what="Changed. All other sessions have ended." />
          </Group>
        </Stack>
      </form>
      {change.data && <StillOpen left={change.data} />}
    </Section>
  );
}

/** After a password was stolen, tokens and passkeys may be in the wrong hands too. */
function StillOpen({ left }: { readonly left: PasswordChanged }) {
  const service = useService();
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => service.api("POST", "/tokens/revoke-all"),
    onSuccess: () => queries.invalidateQueries({ queryKey: ["tokens"] }),
  });
  const { active_tokens, passkeys, webhooks } = left;
  if (!active_tokens && !passkeys && !webhooks) return null;
  return (
    <Alert color="yellow" icon={<Icon name="warning" />} title="Did somebody else know your password?">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">
          {counted(active_tokens, "token")} and {counted(passkeys, "passkey")} still work, and events are sent to{" "}
          {counted(webhooks, "webhook endpoint")}. Remove the passkeys that you do not know below, revoke the tokens if
          somebody may have copied them, and disable the{" "}
          <Anchor component={Link} href={`${DEVELOPER}/webhooks`} size="sm" underline="always" className="link">
            endpoints
          </Anchor>{" "}
          that you do not know.
        </Text>
        {active_tokens > 0 && !revoke.isSuccess && (
          <Button size="xs" color="red" loading={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke all tokens
          </Button>
        )}
        <Saved when={revoke.isSuccess} what="All tokens are revoked" />
        <FailureNotice cause={revoke.error} title="The tokens could not be revoked" />
      </Stack>
    </Alert>
  );
}
