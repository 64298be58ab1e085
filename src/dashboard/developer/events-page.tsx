import { Badge, Code, Group } from "@mantine/core";
import type { RecentEventPage } from "#contract/dashboard/events.ts";
import { useAnswer, useLivePages } from "../api/asking.ts";
import { useAddress } from "../browser/address.ts";
import { Answered } from "../components/answered.tsx";
import { CopiedBlock } from "../components/copy-button.tsx";
import { SidePanel } from "../components/dialog.tsx";
import { Segments } from "../components/filters.tsx";
import { type Column, EmptyState, LivePage, TableList, timeColumn } from "../components/list.tsx";
import { indentedJson } from "../text/json.ts";

type ListedEvent = RecentEventPage["data"][number];

const TYPES = { "": "All", "plant.created": "Created", "plant.changed": "Changed", "plant.removed": "Removed" };
const COLORS = { "plant.created": "leaf", "plant.changed": "yellow", "plant.removed": "red" };

const COLUMNS: readonly Column<ListedEvent>[] = [
  { title: "Type", w: 130, cell: ({ type }) => <Badge color={COLORS[type]}>{type}</Badge> },
  {
    title: "Plant",
    name: ({ name, plant_id }) => name || plant_id,
    remark: { of: ({ plant_id }) => plant_id, mono: true },
  },
  { title: "Event", w: 190, visibleFrom: "sm", cell: ({ id }) => <Code>{id}</Code> },
  timeColumn(({ timestamp }) => timestamp, 90),
];

/** Half of what the service gives by default: a phone takes noticeably long to draw a hundred rows. */
const PAGE_LENGTH = "50";

export default function EventsPage() {
  const [search, change] = useAddress();
  const type = search.get("type") ?? "";
  const open = search.get("event");
  const events = useLivePages<RecentEventPage>("/events", { limit: PAGE_LENGTH, ...(type && { type }) });
  return (
    <>
      <LivePage
        title="Events"
        text="What happened to your plants. Programs read the same feed at /v1/events."
        of={events}
      >
        <Group>
          <Segments label="Type" choices={TYPES} value={type} onChange={(chosen) => change({ type: chosen })} />
        </Group>
        <TableList
          {...events}
          empty={<EmptyState title="No events" text="Each plant that is added, changed or removed appears here." />}
          label="Events"
          layout="fixed"
          columns={COLUMNS}
          keyOf={({ id }) => id}
          timeOf={({ timestamp }) => timestamp}
          onOpen={({ id }) => change({ event: id })}
        />
      </LivePage>
      {open && <EventDetails id={open} onClose={() => change({ event: undefined })} />}
    </>
  );
}

/** The event's JSON, exactly as programs receive it. */
function EventDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const event = useAnswer(["event", id], ({ client }, signal) => client.event(id, { signal }));
  return (
    <SidePanel onClose={onClose} title={<span translate="no">{id}</span>}>
      <Answered query={event} data={event.data}>
        {({ json }) => <CopiedBlock title="Event as JSON" value={indentedJson(json)} what="event" />}
      </Answered>
    </SidePanel>
  );
}
