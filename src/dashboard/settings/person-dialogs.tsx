import { Checkbox, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { AuditPage } from "#contract/dashboard/audit.ts";
import { targetName } from "#contract/dashboard/audit-target.ts";
import type { PersonRecord } from "#contract/dashboard/people.ts";
import { useAnswer } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { useAnnounce } from "../components/announcer.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Radios } from "../components/filters.tsx";
import { useForm } from "../components/form.tsx";
import { FormDialog, Question } from "../components/form-dialog.tsx";
import { TOKEN_DATA, useTokens } from "../developer/tokens.tsx";
import { leaveStore, useSession } from "../session/session.ts";
import { counted } from "../text/numbers.ts";
import { isLastOwner, PEOPLE_DATA, ROLES } from "./people.tsx";

export const PERSON_ACTS = ["role", "remove", "leave"] as const;
export type PersonAct = (typeof PERSON_ACTS)[number];

interface ActOnPersonProps {
  readonly title: string;
  readonly person: PersonRecord;
  readonly onClose: () => void;
}

interface PersonDialogProps extends Omit<ActOnPersonProps, "title"> {
  readonly act: PersonAct;
  readonly people: readonly PersonRecord[];
}

/** The dialog that the address asks for; another in place of one by which the store would lose its only owner. */
export function PersonDialog({ act, people, ...props }: PersonDialogProps) {
  const { store } = useSession();
  const { name } = props.person;
  // The service decides; this only says it before the reader has tried.
  const [isOnly] = useState(() => isLastOwner(props.person, people));
  const title = { role: `Role of ${name}`, remove: `Remove ${name}?`, leave: `Leave ${store?.name ?? "this store"}?` }[
    act
  ];
  const Asked = isOnly ? OnlyOwner : { role: ChangeRole, remove: RemovePerson, leave: LeaveStore }[act];
  return <Asked {...props} act={act} title={title} />;
}

function OnlyOwner({ act, title, onClose }: ActOnPersonProps & Pick<PersonDialogProps, "act">) {
  return (
    <Dialog onClose={onClose} title={title}>
      <Stack align="flex-start">
        <Text>
          You are the only owner. Make somebody else an owner before you{" "}
          {act === "leave" ? "leave" : "change your role"}.
        </Text>
        <Action label="Close" onClick={onClose} data-autofocus style={{ alignSelf: "flex-end" }} />
      </Stack>
    </Dialog>
  );
}

function ChangeRole({ title, person, onClose }: ActOnPersonProps) {
  const announce = useAnnounce();
  const { account } = useSession();
  const { id, name, role: before } = person;
  const form = useForm({
    initial: { role: before },
    send: (service, { role }) =>
      service.api("PATCH", `/people/${id}`, { role }, role === "owner" || before === "owner" ? "asked" : undefined),
    changes: PEOPLE_DATA,
    done: (_, __, { role }) => announce(`${name} is ${role} now`),
    close: onClose,
  });
  const isOwn = id === account.id && form.values.role !== "owner";
  return (
    <FormDialog
      title={title}
      form={form}
      label="Change role"
      failure="The role could not be changed"
      onClose={onClose}
      disabled={form.values.role === before}
    >
      <Radios {...form.choice("role", "Role")} choices={ROLES} isFirst />
      {isOwn && <Text size="sm">You will no longer be an owner. Only another owner can make you one again.</Text>}
      {person.by === "oidc" && (
        <Text size="sm">This role comes from the identity provider, which sets it again at the next sign-in.</Text>
      )}
    </FormDialog>
  );
}

/** Acts by which somebody was shown the secret of an endpoint. */
const SHOWN_SECRET = ["webhook.created", "webhook.secret_rolled"];

/** Removes somebody, and names what they may have taken along: tokens, and the secrets of webhooks. */
function RemovePerson({ title, person, onClose }: ActOnPersonProps) {
  const announce = useAnnounce();
  const { store } = useSession();
  const { id, name, email, role } = person;
  const tokens = useTokens().data ?? [];
  const made = tokens.filter(({ made_by, state }) => made_by === id && state === "active").length;
  const acts = useAnswer(["audit", "webhook"], (service) =>
    service.api<AuditPage>("GET", "/audit?action=webhook&limit=200"),
  ).data?.data;
  const seen = (acts ?? []).filter(({ action, actor }) => SHOWN_SECRET.includes(action) && actor.name === email);
  const endpoints = [...new Set(seen.map(targetName))];
  const form = useForm({
    initial: { revoke_tokens: false },
    send: (service, asked) =>
      service.api("POST", `/people/${id}/remove`, asked, role === "owner" ? "asked" : undefined),
    changes: [...PEOPLE_DATA, ...TOKEN_DATA],
    done: () => announce(`${name} is removed`),
    close: onClose,
  });
  return (
    <FormDialog {...{ title, form, onClose }} label="Remove" failure={`${name} could not be removed`} color="red">
      <Text className="breaks">
        <bdi translate="no">{email}</bdi> sees nothing of <bdi translate="no">{store?.name}</bdi> from then on. The
        plants stay, and so does their own sign-in.
      </Text>
      {made > 0 && (
        <Checkbox
          {...form.checkbox("revoke_tokens", `Revoke ${counted(made, "token")} that they made`)}
          description="Programs that use them stop at once. Those that stay are listed on the Overview until you roll them."
        />
      )}
      {endpoints.length > 0 && (
        <div>
          <Text size="sm">They were shown the secrets of these webhook endpoints. Roll them afterwards:</Text>
          <ul>
            {endpoints.map((endpoint) => (
              <Text key={endpoint} component="li" size="sm" className="breaks">
                {endpoint}
              </Text>
            ))}
          </ul>
        </div>
      )}
    </FormDialog>
  );
}

function LeaveStore({ title, onClose }: ActOnPersonProps) {
  const { stores } = useSession();
  return (
    <Question
      title={title}
      label="Leave"
      failure="You could not leave"
      send={(service) => service.api("POST", "/people/leave")}
      done={leaveStore}
      onClose={onClose}
    >
      <Text>
        You see nothing of it from then on, and only one of its owners can let you in again. Plants, tokens and webhook
        endpoints stay with the store.
      </Text>
      {stores.length === 1 && <Text>It is your only store. You keep your sign-in.</Text>}
    </Question>
  );
}
