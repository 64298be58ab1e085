import { ActionIcon, Group, Menu, Stack, Text, Title } from "@mantine/core";
import { useState } from "react";
import type { InvitationRecord, PersonRecord } from "#contract/dashboard/people.ts";
import { useChange } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Saved } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { type Column, DataTable } from "../components/list.tsx";
import { MenuTarget } from "../components/menu-target.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useMay, useSession } from "../session/session.ts";
import { capitalized } from "../text/sentence.ts";
import { Invite } from "./invite.tsx";
import { PEOPLE, usePeople } from "./people.tsx";
import { ChangeRole, LeaveStore, RemovePerson } from "./person-dialogs.tsx";

const DIALOGS = { role: ChangeRole, remove: RemovePerson, leave: LeaveStore };

/** The address includes the open dialog. */
export default function PeoplePage() {
  const { account, store } = useSession();
  const manages = useMay()("manage people");
  const [search, change] = useAddress();
  const [again, setAgain] = useState<InvitationRecord>();
  const [mailed, setMailed] = useState("");
  const query = usePeople();
  const people = query.data?.people;
  const asked = search.get("do");
  const person = people?.find(({ id }) => id === (search.get("person") ?? account.id));
  const Asked = (asked === "leave" || manages) && Object.hasOwn(DIALOGS, asked ?? "") ? DIALOGS[asked as "role"] : null;
  const close = () => change({ do: undefined, person: undefined }, { replace: true });
  const open = ({ id }: PersonRecord, act: keyof typeof DIALOGS) => change({ do: act, person: id });
  return (
    <>
      <PageTitle title="People" text="Who belongs to this store, and what their role lets them do.">
        {manages && (
          <Action kind="main" label="Invite" icon="plus" onClick={() => change({ do: "invite", person: undefined })} />
        )}
      </PageTitle>
      <Saved when={mailed !== ""} what={`An invitation is on its way to ${mailed}`} />
      <Answered query={query} data={query.data} shape={160}>
        {({ people, invitations = [] }) => (
          <Stack gap="lg">
            <Stack className="panel">
              <PeopleTable people={people} ownId={account.id} onOpen={manages ? open : undefined} />
              <Group>
                <Action label="Leave this store" kind="risky" onClick={() => change({ do: "leave" })} />
              </Group>
            </Stack>
            {invitations.length > 0 && <Invitations invitations={invitations} onAgain={setAgain} />}
          </Stack>
        )}
      </Answered>
      {Asked && people && person && <Asked key={person.id} person={person} people={people} onClose={close} />}
      {manages && store && (
        <Invite
          key={again?.id}
          again={again}
          open={asked === "invite" || again !== undefined}
          onMailed={setMailed}
          onClose={() => {
            setAgain(undefined);
            close();
          }}
        />
      )}
    </>
  );
}

interface PeopleTableProps {
  readonly people: readonly PersonRecord[];
  readonly ownId: string;
  /** Undefined for a reader who only sees who belongs to the store. */
  readonly onOpen: ((person: PersonRecord, act: "role" | "remove") => void) | undefined;
}

function PeopleTable({ people, ownId, onOpen }: PeopleTableProps) {
  const columns: Column<PersonRecord>[] = [
    {
      title: "Name",
      className: "breaks",
      cell: ({ id, name }) => (
        <Text span fw={500} inherit>
          <bdi>{name}</bdi>
          {id === ownId && " (you)"}
        </Text>
      ),
      remark: { of: ({ email }) => email },
    },
    {
      title: "Role",
      cell: ({ role, by }) => (
        <>
          {capitalized(role)}
          {by === "oidc" && (
            <Text size="xs" c="dimmed">
              by the identity provider
            </Text>
          )}
        </>
      ),
    },
    { title: "Since", visibleFrom: "sm", cell: ({ joined_at }) => <RelativeTime at={joined_at} /> },
  ];
  const forOwners: Column<PersonRecord>[] = [
    { title: "Second factor", visibleFrom: "sm", cell: ({ second_factor }) => <Factor has={second_factor === true} /> },
    { title: "", ta: "end", cell: (person) => onOpen && <PersonMenu person={person} onOpen={onOpen} ownId={ownId} /> },
  ];
  return (
    <DataTable
      label="People"
      verticalSpacing="sm"
      rows={people}
      keyOf={({ id }) => id}
      columns={onOpen ? [...columns, ...forOwners] : columns}
    />
  );
}

function Factor({ has }: { readonly has: boolean }) {
  return (
    <Group gap={6} wrap="nowrap">
      <Icon name={has ? "check" : "blocked"} size={16} />
      {has ? "Yes" : "None"}
    </Group>
  );
}

interface PersonMenuProps {
  readonly person: PersonRecord;
  readonly onOpen: NonNullable<PeopleTableProps["onOpen"]>;
  readonly ownId: string;
}

function PersonMenu({ person, onOpen, ownId }: PersonMenuProps) {
  return (
    <Menu position="bottom-end" width={180} keepMounted={false}>
      <MenuTarget>
        <ActionIcon size="lg" aria-label={`Actions for ${person.name}`}>
          <Icon name="more" />
        </ActionIcon>
      </MenuTarget>
      <Menu.Dropdown>
        <Menu.Item onClick={() => onOpen(person, "role")}>Change role</Menu.Item>
        {person.id !== ownId && (
          <Menu.Item onClick={() => onOpen(person, "remove")} c="var(--mantine-color-error)">
            Remove
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

interface InvitationsProps {
  readonly invitations: readonly InvitationRecord[];
  readonly onAgain: (invitation: InvitationRecord) => void;
}

function Invitations({ invitations, onAgain }: InvitationsProps) {
  const revoke = useChange((service, id: string) => service.api("POST", `/people/invitations/${id}/revoke`), {
    changes: [PEOPLE],
  });
  const isRevoked = (id: string) => revoke.isPending && revoke.variables === id;
  return (
    <Stack component="section" className="panel" aria-labelledby="invitations-title">
      <Title order={2} id="invitations-title">
        Invited
      </Title>
      <ul className="plain-list">
        {invitations.map((invitation) => (
          <Group key={invitation.id} component="li" justify="space-between" gap="sm">
            <Stack gap={2} miw={0} flex="1 1 220px">
              <Text className="breaks">
                <bdi>{invitation.email}</bdi>
              </Text>
              <Text component="div" size="sm" c="dimmed">
                {capitalized(invitation.role)}, {invitation.mailed ? "by mail" : "by a link"}, expires{" "}
                <RelativeTime at={invitation.expires_at} />
              </Text>
            </Stack>
            <Group gap="xs">
              <Action
                label={invitation.mailed ? "Send again" : "New link"}
                size="xs"
                aria-label={`${invitation.mailed ? "Send again" : "New link"} to ${invitation.email}`}
                onClick={() => onAgain(invitation)}
              />
              <Action
                label="Revoke"
                kind="risky"
                size="xs"
                aria-label={`Revoke the invitation of ${invitation.email}`}
                loading={isRevoked(invitation.id)}
                onClick={() => revoke.mutate(invitation.id)}
              />
            </Group>
          </Group>
        ))}
      </ul>
      <FailureNotice cause={revoke.error} title="The invitation could not be revoked" />
    </Stack>
  );
}
