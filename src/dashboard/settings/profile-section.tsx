import { Button, Group, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type AccountForm, SessionView } from "#contract/dashboard.ts";
import { api } from "../api/request.ts";
import { useDraft } from "../draft.ts";
import { FailureNotice } from "../failure-notice.tsx";
import { keepSession, useSession } from "../session/session.ts";
import { Saved } from "./saved.tsx";
import { Section } from "./section.tsx";

/** A new e-mail address is what one signs in with from then on: it asks for the password. */
export function ProfileSection() {
  const { account } = useSession();
  const { form, change, clear } = useDraft("profile", { name: account.name, email: account.email });
  const [password, setPassword] = useState("");
  const queries = useQueryClient();
  const emailChanged = form.email.trim() !== account.email;
  const save = useMutation({
    mutationFn: (asked: AccountForm) => api("PATCH", "/account", SessionView, asked),
    onSuccess: (session) => {
      keepSession(queries, session);
      setPassword("");
      clear();
    },
  });
  return (
    <Section id="profile" title="Profile">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate({ name: form.name.trim(), ...(emailChanged ? { email: form.email.trim(), password } : {}) });
        }}
      >
        <Stack maw={420}>
          <TextInput
            label="Name"
            autoComplete="name"
            value={form.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            maxLength={100}
            pattern=".*\S.*"
            required
          />
          <TextInput
            type="email"
            label="E-mail"
            autoComplete="email"
            value={form.email}
            onChange={(event) => change({ email: event.currentTarget.value })}
            maxLength={254}
            required
          />
          {emailChanged && (
            <PasswordInput
              label="Current password"
              description="Needed for a new e-mail address"
              autoComplete="current-password"
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              required
            />
          )}
          <FailureNotice cause={save.error} title="Cannot save the profile" />
          <Group>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
            <Saved when={save.isSuccess} what="Saved" />
          </Group>
        </Stack>
      </form>
    </Section>
  );
}
