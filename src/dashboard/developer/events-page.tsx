import {
  Badge,
  Button,
  Center,
  Code,
  Drawer,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Table,
  Text,
} from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useSearchParams } from "wouter";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { CopyButton } from "../copy-button.tsx";
import { CutButton } from "../cut-button.tsx";
import { EmptyState } from "../empty-state.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { usePage, useService } from "../page-context.tsx";
import { PageTitle } from "../page-title.tsx";
import { indentedJson } from "../reference/json-text.ts";
import { RelativeTime } from "../relative-time.tsx";

/** An event as the list shows it; numbers are the strings of their digits. */
interface ListedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: { readonly plant_id: string; readonly plant?: { readonly name: string } };
}

interface EventPage {
  readonly data: readonly ListedEvent[];
  readonly next_cursor: string;
  readonly has_more: boolean | string;
}

const WAIT_SECONDS = 10;
const SHOWN_MAX = 500;
const TYPES = [
  { value: "", label: "All" },
  { value: "plant.created", label: "Created" },
  { value: "plant.changed", label: "Changed" },
  { value: "plant.removed", label: "Removed" },
];

/** The feed of changes: live from now on, or all that is kept, oldest first. */
export default function EventsPage() {
  const [search, setSearch] = useSearchParams();
  const type = search.get("type") ?? "";
  const from = search.get("from") === "oldest" ? "oldest" : "now";
  const open = search.get("event");
  const [round, setRound] = useState(0);
  const set = (name: string, value: string) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (value) after.set(name, value);
      else after.delete(name);
      return after;
    });
  return (
    <>
      <PageTitle title="Events" text="What happened to your plants. Programs read the same feed at /v1/events.">
        <SegmentedControl
          aria-label="Which events"
          data={[
            { value: "now", label: "Live" },
            { value: "oldest", label: "From the oldest" },
          ]}
          value={from}
          onChange={(value) => set("from", value === "oldest" ? value : "")}
        />
      </PageTitle>
      <Stack className="panel wide">
        <Group>
          <SegmentedControl aria-label="Type" data={TYPES} value={type} onChange={(value) => set("type", value)} />
        </Group>
        {from === "now" ? (
          <LiveEvents
            key={`${type} ${round}`}
            type={type}
            onOpen={(id) => set("event", id)}
            onAgain={() => setRound(round + 1)}
          />
        ) : (
          <KeptEvents type={type} onOpen={(id) => set("event", id)} />
        )}
      </Stack>
      {open && <EventDetails id={open} onClose={() => set("event", "")} />}
    </>
  );
}

interface EventsProps {
  readonly type: string;
  readonly onOpen: (id: string) => void;
}

function eventsPath(cursor: string | null, type: string, waitSeconds: number): string {
  const query = new URLSearchParams({ limit: "100" });
  if (cursor) query.set("cursor", cursor);
  if (type) query.set("type", type);
  if (waitSeconds) query.set("wait", String(waitSeconds));
  return `/events?${query}`;
}

/** Asks again and again with the last cursor; the service answers as soon as something happens. */
function LiveEvents({ type, onOpen, onAgain }: EventsProps & { readonly onAgain: () => void }) {
  const { service } = usePage();
  const [events, setEvents] = useState<readonly ListedEvent[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  useEffect(() => {
    const abort = new AbortController();
    const follow = async (cursor: string): Promise<never> => {
      const text = await service.v1("GET", eventsPath(cursor, type, WAIT_SECONDS), undefined, abort.signal);
      const page = parseWithNumbersAsDigits(text) as EventPage;
      if (page.data.length > 0) setEvents((before) => [...page.data].reverse().concat(before).slice(0, SHOWN_MAX));
      return follow(page.next_cursor);
    };
    follow("latest").catch((cause) => {
      if (!abort.signal.aborted) setFailure(cause);
    });
    return () => abort.abort();
  }, [service, type]);
  return (
    <>
      <FailureNotice cause={failure} retry={onAgain} />
      {events.length === 0 && !failure && (
        <EmptyState order={2} title="Waiting for events" text="Add, change or remove a plant, and it appears here." />
      )}
      {events.length > 0 && <EventTable events={events} onOpen={onOpen} />}
    </>
  );
}

function KeptEvents({ type, onOpen }: EventsProps) {
  const service = useService();
  const list = useInfiniteQuery({
    queryKey: ["events", type],
    queryFn: async ({ pageParam, signal }) => {
      const text = await service.v1("GET", eventsPath(pageParam, type, 0), undefined, signal);
      return parseWithNumbersAsDigits(text) as EventPage;
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor, has_more }) => (has_more === true ? next_cursor : null),
  });
  const events = list.data?.pages.flatMap(({ data }) => data);
  return (
    <>
      <FailureNotice cause={list.error} retry={() => list.refetch()} />
      {list.isPending && <Skeleton h={240} className="late" />}
      {events?.length === 0 && <EmptyState order={2} title="No events" text="Nothing of this kind is kept." />}
      {events && events.length > 0 && <EventTable events={events} onOpen={onOpen} />}
      {list.hasNextPage && (
        <Center>
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </Center>
      )}
    </>
  );
}

const COLORS: Readonly<Record<string, string>> = {
  "plant.created": "leaf",
  "plant.changed": "yellow",
  "plant.removed": "red",
};

function EventTable({
  events,
  onOpen,
}: {
  readonly events: readonly ListedEvent[];
  readonly onOpen: (id: string) => void;
}) {
  return (
    <Table aria-label="Events" className="figures" highlightOnHover layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={130}>Type</Table.Th>
          <Table.Th>Plant</Table.Th>
          <Table.Th visibleFrom="sm" w={190}>
            Event
          </Table.Th>
          <Table.Th visibleFrom="sm" w={140} ta="end">
            Time
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {events.map(({ id, type, timestamp, data }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Badge variant="light" color={COLORS[type] ?? "gray"} tt="none" radius="sm" fw={500}>
                {type}
              </Badge>
            </Table.Td>
            <Table.Td>
              <CutButton
                className="row-link cut"
                text={data.plant?.name || data.plant_id}
                dir="auto"
                onClick={() => onOpen(id)}
              >
                {data.plant?.name || data.plant_id}
              </CutButton>
              <Text size="xs" c="dimmed" className="mono cut">
                {data.plant_id}
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">
              <Code>{id}</Code>
            </Table.Td>
            <Table.Td visibleFrom="sm" ta="end" c="dimmed">
              <RelativeTime at={timestamp} focusable={false} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

/** The event's JSON, exactly as programs get it. */
function EventDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const service = useService();
  const event = useQuery({
    queryKey: ["event", id],
    queryFn: ({ signal }) => service.v1("GET", `/events/${encodeURIComponent(id)}`, undefined, signal),
  });
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={560}
      title={id}
      closeButtonProps={{ "aria-label": "Close" }}
      overlayProps={{ opacity: 0.35 }}
    >
      <FailureNotice cause={event.error} retry={() => event.refetch()} />
      {event.isPending && <Skeleton h={240} className="late" />}
      {event.data && (
        <Stack gap="xs">
          <Group justify="flex-end">
            <CopyButton value={indentedJson(event.data)} what="event" compact />
          </Group>
          <pre className="code-block">{indentedJson(event.data)}</pre>
        </Stack>
      )}
    </Drawer>
  );
}
