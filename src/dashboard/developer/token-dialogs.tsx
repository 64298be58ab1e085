import { Code, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { NewTokenSecret, TokenRecord } from "#contract/dashboard/tokens.ts";
import { TOKEN_NAME_LENGTH_MAX } from "#contract/limits.ts";
import { DAY_MS } from "#contract/timestamp.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { DetailsList } from "../components/details.tsx";
import { Dialog } from "../components/dialog.tsx";
import { optionsOf } from "../components/filters.tsx";
import { Form, nameRules, useForm } from "../components/form.tsx";
import { FormDialog, Question } from "../components/form-dialog.tsx";
import { PageLink } from "../components/page-link.tsx";
import { OptionalTime, RelativeTime } from "../components/relative-time.tsx";
import { SecretDialog } from "../components/secret-dialog.tsx";
import { usePage } from "../program/page-context.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { PersonName } from "../settings/people.tsx";
import { expiryTime, TokenExpiryField } from "./create-token.tsx";
import { accessOf, isReplaced, shownToken, TOKEN_DATA, TokenState } from "./tokens.tsx";

export type TokenAction = "open" | "rename" | "roll" | "revoke";

/** The actions that a token allows, besides being opened. One that has ended can only be renamed. */
export function actionsOf(token: TokenRecord): TokenAction[] {
  if (token.state !== "active") return ["rename"];
  return isReplaced(token) ? ["rename", "revoke"] : ["rename", "roll", "revoke"];
}

export const ACTION_LABELS = { open: "Show details", rename: "Rename", roll: "Roll", revoke: "Revoke" };

interface TokenDialogProps {
  readonly token: TokenRecord;
  readonly onClose: () => void;
}

interface OpenTokenProps extends TokenDialogProps {
  readonly action: TokenAction;
  readonly onAction: (action: TokenAction) => void;
}

export function TokenDialog({ token, action, onAction, onClose }: OpenTokenProps) {
  const props = { token, onClose };
  // Kept as they were: a roll that ends the token at once still has its secret to show.
  const [allowed] = useState(() => actionsOf(token));
  if (!allowed.includes(action)) return <TokenDetails {...props} onAction={onAction} />;
  if (action === "rename") return <RenameToken {...props} />;
  if (action === "roll") return <RollToken {...props} />;
  return <RevokeToken {...props} />;
}

function named(action: string, { name }: TokenRecord, end = ""): ReactNode {
  return (
    <span>
      {action} <bdi translate="no">{name}</bdi>
      {end}
    </span>
  );
}

function TokenDetails({ token, onAction, onClose }: Omit<OpenTokenProps, "action">) {
  const { id, hint, name, made_by, created_at, last_used_at, expires_at, revoked_at, state } = token;
  return (
    <Dialog onClose={onClose} title={<bdi translate="no">{name}</bdi>}>
      <Stack>
        <DetailsList
          of={{
            State: <TokenState token={token} />,
            Token: <Code>{hint}</Code>,
            Access: accessOf(token),
            Created: <RelativeTime at={created_at} />,
            "Made by": made_by && <PersonName id={made_by} />,
            "Last used": <OptionalTime at={last_used_at} />,
            Expires: <OptionalTime at={expires_at} />,
            [state === "active" ? "Ends" : "Revoked"]: revoked_at && <RelativeTime at={revoked_at} />,
          }}
        />
        <Group gap="md" className="links">
          <PageLink href={`/dashboard?token=${id}`}>Show its usage</PageLink>
          <PageLink href={`${DEVELOPER}/requests?token=${id}`}>Show its requests</PageLink>
        </Group>
        <Group justify="flex-end" gap="xs">
          {actionsOf(token).map((action) => (
            <Action
              key={action}
              kind={action === "revoke" ? "risky" : "plain"}
              label={ACTION_LABELS[action]}
              onClick={() => onAction(action)}
            />
          ))}
        </Group>
      </Stack>
    </Dialog>
  );
}

/** Escape keeps what was typed for the next time. */
function RenameToken({ token, onClose }: TokenDialogProps) {
  const form = useForm({
    draft: `token-name:${token.id}`,
    initial: { name: token.name },
    send: (service, { name }) => service.api("PATCH", `/tokens/${token.id}`, { name: name.trim() }),
    changes: TOKEN_DATA,
    close: onClose,
  });
  return (
    <FormDialog
      {...{ form, onClose }}
      title={named("Rename", token)}
      label="Rename"
      failure="The token could not be renamed"
    >
      <TextInput {...form.field("name", "Name")} {...nameRules(TOKEN_NAME_LENGTH_MAX)} data-autofocus />
    </FormDialog>
  );
}

function RevokeToken({ token, onClose }: TokenDialogProps) {
  const { id, name, hint, last_used_at } = token;
  const announce = useAnnounce();
  return (
    <Question
      title={named("Revoke", token, "?")}
      label="Revoke"
      failure="The token could not be revoked"
      send={(service) => service.api("POST", `/tokens/${id}/revoke`)}
      changes={TOKEN_DATA}
      done={() => announce(`${name} is revoked`)}
      close={onClose}
      onClose={onClose}
    >
      <Text>
        Every request with <Code>{hint}</Code> is refused from then on. This cannot be undone.
      </Text>
      <Text variant="remark">
        {last_used_at ? <>Last used {<RelativeTime at={last_used_at} />}.</> : "It was never used."}
      </Text>
    </Question>
  );
}

const TERMS = optionsOf({ "0": "Immediately", "3600": "In an hour", "86400": "In a day", "604800": "In a week" });

/** A new token for the same purpose. The old one works until the programs that use it have switched. */
function RollToken({ token, onClose }: TokenDialogProps) {
  const { madeToken } = usePage();
  const form = useForm({
    initial: { overlap: "86400", expiry: "same", date: "" },
    send: (service, { overlap, ...chosen }) => {
      const expiry = chosen.expiry === "same" ? {} : { expires_at: expiryTime(chosen, service.clock.now()) };
      const asked = { overlap_seconds: Number(overlap), ...expiry };
      return service.api<NewTokenSecret>("POST", `/tokens/${token.id}/roll`, asked, "recent");
    },
    changes: TOKEN_DATA,
    done: ({ secret }) => madeToken.set(secret),
  });
  return (
    <SecretDialog title={named("Roll", token)} secret={form.data && shownToken(form.data.secret)} onClose={onClose}>
      <Form form={form} label="Roll token" failure="The token could not be rolled" onCancel={onClose}>
        <Text>A new token replaces it, with the same name and access.</Text>
        <NativeSelect {...form.field("overlap", `The old token (${token.hint}) expires`)} data={TERMS} data-autofocus />
        <TokenExpiryField form={form} label="The new token expires" before={{ same: `As before: ${termOf(token)}` }} />
      </Form>
    </SecretDialog>
  );
}

/** The lifetime that the token was created with; rolling it starts that time again. */
function termOf({ created_at, expires_at }: Pick<TokenRecord, "created_at" | "expires_at">): string {
  if (expires_at === null) return "never";
  const days = Math.max(1, Math.round((Date.parse(expires_at) - Date.parse(created_at)) / DAY_MS));
  return days === 1 ? "in a day" : `in ${days} days`;
}
