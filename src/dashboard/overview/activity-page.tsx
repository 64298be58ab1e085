import { Group } from "@mantine/core";
import type { RecentEvent, RecentEventPage } from "#contract/dashboard/events.ts";
import { useLivePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Segments, Select } from "../components/filters.tsx";
import { type Column, EmptyState, LivePage, TableList, timeColumn } from "../components/list.tsx";
import { usePeople } from "../settings/people.tsx";
import { EventSentence } from "./event-sentence.tsx";

const KINDS = { "": "All", "plant.created": "Added", "plant.changed": "Changed", "plant.removed": "Removed" };

const COLUMNS: readonly Column<RecentEvent>[] = [
  { title: "What happened", cell: (event) => <EventSentence event={event} /> },
  timeColumn(({ timestamp }) => timestamp, 90, null),
];

/** The feed in sentences: who did what to which plant. */
export default function ActivityPage() {
  const [search, change] = useAddress();
  const [kind, person] = [search.get("kind") ?? "", search.get("person") ?? ""];
  const filter = { ...(kind ? { type: kind } : {}), ...(person ? { person } : {}) };
  const events = useLivePages<RecentEventPage>("/events", filter);
  const people = usePeople().data?.people ?? [];
  const names = Object.fromEntries(people.map(({ id, name }) => [id, name]));
  return (
    <LivePage title="Activity" text="Who added, changed and removed plants." of={events}>
      <Group gap="sm">
        <Segments label="Kind" choices={KINDS} value={kind} onChange={(chosen) => change({ kind: chosen })} />
        <Select
          label="Person"
          choices={{ "": "Everybody", ...names }}
          value={person}
          onChange={(chosen) => change({ person: chosen })}
          maw={220}
        />
      </Group>
      <TableList
        {...events}
        empty={
          <EmptyState title="Nothing here yet" text="Each plant that is added, changed or removed appears here." />
        }
        label="Activity"
        layout="fixed"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        timeOf={({ timestamp }) => timestamp}
      />
    </LivePage>
  );
}
