import { Button, Group, PasswordInput, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { z } from "zod";
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from "#contract/dashboard.ts";
import { request } from "../api/request.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { formValues } from "../form-values.ts";
import { useSession } from "../session/session.ts";
import { Saved } from "./saved.tsx";
import { Section } from "./section.tsx";

export function PasswordSection() {
  const { account } = useSession();
  const queries = useQueryClient();
  const form = useRef<HTMLFormElement>(null);
  const change = useMutation({
    mutationFn: ({ currentPassword, newPassword }: Record<string, string>) =>
      request("POST", "/auth/change-password", z.unknown(), { currentPassword, newPassword }),
    onSuccess: () => {
      form.current?.reset();
      void queries.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <Section id="password" title="Password" text="A new password ends all other sessions.">
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault();
          change.mutate(formValues(event.currentTarget));
        }}
      >
        <Stack maw={420}>
          {/* So that a password manager knows whose password it keeps. */}
          <input type="hidden" name="username" autoComplete="username" value={account.email} readOnly />
          <PasswordInput name="currentPassword" label="Current password" autoComplete="current-password" required />
          <PasswordInput
            name="newPassword"
            label="New password"
            description={`At least ${PASSWORD_LENGTH_MIN} characters`}
            autoComplete="new-password"
            minLength={PASSWORD_LENGTH_MIN}
            maxLength={PASSWORD_LENGTH_MAX}
            required
          />
          <FailureNotice cause={change.error} title="Cannot change the password" />
          <Group>
            <Button type="submit" variant="default" loading={change.isPending}>
              Change the password
            </Button>
            <Saved when={change.isSuccess} what="Changed; all other sessions are over" />
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
