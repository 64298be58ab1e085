import { Group, Menu, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { InvitationRecord, PersonRecord } from "#contract/dashboard/people.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Saved } from "../components/form.tsx";
import { Icon } from "../components/icon.tsx";
import { type Column, DataTable } from "../components/list.tsx";
import { MoreMenu } from "../components/menu-target.tsx";
import { PageTitle, Panel } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { useMay, useSession } from "../session/session.ts";
import { capitalized } from "../text/sentence.ts";
import { Invite } from "./invite.tsx";
import { isLastOwner, PEOPLE, usePeople } from "./people.tsx";
import { PERSON_ACTS, type PersonAct, PersonDialog } from "./person-dialogs.tsx";
import { ItemList, useEnd } from "./section.tsx";

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
  const own = people?.find(({ id }) => id === account.id);
  const isOnlyOwner = own !== undefined && people !== undefined && isLastOwner(own, people);
  const act = PERSON_ACTS.find((each) => each === asked && (each === "leave" || manages));
  const close = () => change({ do: undefined, person: undefined }, { replace: true });
  const open = ({ id }: PersonRecord, act: PersonAct) => change({ do: act, person: id });
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
                <Action
                  label="Leave this store"
                  kind="risky"
                  disabled={isOnlyOwner}
                  aria-describedby={isOnlyOwner ? "leave-reason" : undefined}
                  onClick={() => change({ do: "leave" })}
                />
                {isOnlyOwner && (
                  <Text id="leave-reason" variant="remark">
                    You are the only owner. Make somebody else an owner before you leave.
                  </Text>
                )}
              </Group>
            </Stack>
            {invitations.length > 0 && <Invitations invitations={invitations} onAgain={setAgain} />}
          </Stack>
        )}
      </Answered>
      {act && people && person && (
        <PersonDialog key={`${act} ${person.id}`} act={act} person={person} people={people} onClose={close} />
      )}
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
  readonly onOpen: ((person: PersonRecord, act: PersonAct) => void) | undefined;
}

function PeopleTable({ people, ownId, onOpen }: PeopleTableProps) {
  const columns: Column<PersonRecord>[] = [
    {
      title: "Name",
      className: "breaks",
      cell: ({ id, name }) => (
        <Text span fw={500} inherit>
          <bdi translate="no">{name}</bdi>
          {id === ownId && " (you)"}
        </Text>
      ),
      remark: { of: ({ email }) => <bdi translate="no">{email}</bdi> },
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
    {
      title: "Second factor",
      visibleFrom: "sm",
      cell: ({ second_factor }) => (
        <Group gap={6} wrap="nowrap">
          <Icon name={second_factor ? "check" : "blocked"} size={16} />
          {second_factor ? "Yes" : "None"}
        </Group>
      ),
    },
    {
      title: "",
      ta: "end",
      cell: (person) => (
        <MoreMenu size="lg" width={180} label={`Actions for ${person.name}`}>
          <Menu.Item onClick={() => onOpen?.(person, "role")}>Change role</Menu.Item>
          {person.id !== ownId && (
            <Menu.Item onClick={() => onOpen?.(person, "remove")} c="var(--mantine-color-error)">
              Remove
            </Menu.Item>
          )}
        </MoreMenu>
      ),
    },
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

interface InvitationsProps {
  readonly invitations: readonly InvitationRecord[];
  readonly onAgain: (invitation: InvitationRecord) => void;
}

function Invitations({ invitations, onAgain }: InvitationsProps) {
  const revoke = useEnd("invitations", "people/invitations", PEOPLE);
  return (
    <Panel id="invitations" title="Invited">
      <ItemList
        items={invitations.map((invitation) => {
          const { id, email, role, mailed, expires_at } = invitation;
          const again = mailed ? "Send again" : "New link";
          return {
            key: id,
            name: email,
            remark: (
              <>
                {capitalized(role)}, {mailed ? "by mail" : "by a link"}, expires <RelativeTime at={expires_at} />
              </>
            ),
            buttons: [
              { label: again, described: `${again} to ${email}`, onClick: () => onAgain(invitation) },
              {
                label: "Revoke",
                kind: "risky",
                described: `Revoke the invitation of ${email}`,
                ...revoke.props(`${id}/revoke`),
              },
            ],
          };
        })}
      />
      <FailureNotice cause={revoke.error} title="The invitation could not be revoked" />
    </Panel>
  );
}
