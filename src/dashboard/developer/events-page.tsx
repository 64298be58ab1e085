import {
  Badge,
  Button,
  Center,
  Code,
  Group,
  SegmentedControl,
  Skeleton,
  Stack,
  Switch,
  Table,
  Text,
  Title,
} from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useSearchParams } from "wouter";
import type { RecentEventPage } from "#contract/dashboard/events.ts";
import { parseWithNumbersAsDigits } from "#contract/exact-json.ts";
import { useSignal } from "../api/signal.ts";
import { useFocusReturn } from "../browser/focus-return.ts";
import { CopyButton } from "../components/copy-button.tsx";
import { CutButton } from "../components/cut-button.tsx";
import { EmptyState } from "../components/empty-state.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { PageTitle } from "../components/page-title.tsx";
import { RelativeTime } from "../components/relative-time.tsx";
import { SidePanel } from "../components/side-panel.tsx";
import { usePage, useService } from "../program/page-context.tsx";
import { indentedJson } from "../reference/json-text.ts";

/** An event of the feed, in which numbers are strings of digits. */
interface FeedEvent {
  readonly id: string;
  readonly type: ListedEvent["type"];
  readonly timestamp: string;
  readonly data: { readonly plant_id: string; readonly plant?: { readonly name: string } };
}

interface FeedPage {
  readonly data: readonly FeedEvent[];
  readonly next_cursor: string;
}

type ListedEvent = RecentEventPage["data"][number];

const WAIT_SECONDS = 10;
const LIVE_MAX = 500;
const TYPES = [
  { value: "", label: "All" },
  { value: "plant.created", label: "Created" },
  { value: "plant.changed", label: "Changed" },
  { value: "plant.removed", label: "Removed" },
];

/** The changes of the account's plants, the newest first, updated live. */
export default function EventsPage() {
  const [search, setSearch] = useSearchParams();
  const type = search.get("type") ?? "";
  const open = search.get("event");
  const [live, setLive] = useState(true);
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
        <Switch label="Live" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
      </PageTitle>
      <Stack className="panel wide">
        <Group>
          <SegmentedControl aria-label="Type" data={TYPES} value={type} onChange={(value) => set("type", value)} />
        </Group>
        <EventList
          key={`${type} ${live} ${round}`}
          type={type}
          live={live}
          onOpen={(id) => set("event", id)}
          onAgain={() => setRound(round + 1)}
        />
      </Stack>
      {open && <EventDetails id={open} onClose={() => set("event", "")} />}
    </>
  );
}

interface EventListProps {
  readonly type: string;
  readonly live: boolean;
  readonly onOpen: (id: string) => void;
  readonly onAgain: () => void;
}

function EventList({ type, live, onOpen, onAgain }: EventListProps) {
  const service = useService();
  const list = useInfiniteQuery({
    queryKey: ["events", type, live],
    queryFn: ({ pageParam }) => {
      const query = new URLSearchParams({ ...(type ? { type } : {}), ...(pageParam ? { cursor: pageParam } : {}) });
      return service.api<RecentEventPage>("GET", `/events?${query}`);
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
    // Later events arrive live.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const news = useLiveEvents(type, live ? list.data?.pages[0]?.live_cursor : undefined);
  const listed = list.data?.pages.flatMap(({ data }) => data) ?? [];
  const known = new Set(listed.map(({ id }) => id));
  const events = [...news.events.filter(({ id }) => !known.has(id)), ...listed];
  const cause = list.error ?? news.failure;
  return (
    <>
      <FailureNotice cause={cause} retry={onAgain} />
      {list.isPending && <Skeleton h={240} className="late" />}
      {list.data && events.length === 0 && !list.hasNextPage && (
        <EmptyState order={2} title="No events" text="Add, change or remove a plant, and it appears here." />
      )}
      {events.length > 0 && <EventTable events={events} onOpen={onOpen} />}
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

/** Asks repeatedly with the last cursor; the service answers as soon as something happens. */
function useLiveEvents(type: string, start: string | undefined) {
  const { service } = usePage();
  const [events, setEvents] = useState<readonly ListedEvent[]>([]);
  const [failure, setFailure] = useState<unknown>(null);
  const lost = useSignal(service.connection.lost);
  const readTo = useRef<string>(undefined);
  useEffect(() => {
    // After an outage it continues where it stopped.
    if (start === undefined || lost) return;
    const abort = new AbortController();
    const follow = async (cursor: string): Promise<never> => {
      const query = new URLSearchParams({
        limit: "100",
        cursor,
        wait: String(WAIT_SECONDS),
        ...(type ? { type } : {}),
      });
      const text = await service.v1("GET", `/events?${query}`, undefined, abort.signal);
      const page = parseWithNumbersAsDigits(text) as FeedPage;
      const news = page.data.map(listedEvent).reverse();
      if (news.length > 0) setEvents((before) => [...news, ...before].slice(0, LIVE_MAX));
      readTo.current = page.next_cursor;
      return follow(page.next_cursor);
    };
    setFailure(null);
    follow(readTo.current ?? start).catch((cause) => {
      if (!abort.signal.aborted) setFailure(cause);
    });
    return () => abort.abort();
  }, [service, type, start, lost]);
  return { events, failure };
}

function listedEvent({ id, type, timestamp, data }: FeedEvent): ListedEvent {
  return { id, type, timestamp, plant_id: data.plant_id, name: data.plant?.name ?? "" };
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
        {events.map(({ id, type, timestamp, plant_id, name }) => (
          <Table.Tr key={id}>
            <Table.Td>
              <Badge variant="light" color={COLORS[type] ?? "gray"} tt="none" radius="sm" fw={500}>
                {type}
              </Badge>
            </Table.Td>
            <Table.Td>
              <CutButton className="row-link cut" text={name || plant_id} dir="auto" onClick={() => onOpen(id)}>
                {name || plant_id}
              </CutButton>
              <Text size="xs" c="dimmed" className="mono cut">
                {plant_id}
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

/** The event's JSON, exactly as programs receive it. */
function EventDetails({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  useFocusReturn();
  const service = useService();
  const event = useQuery({
    queryKey: ["event", id],
    queryFn: ({ signal }) => service.v1("GET", `/events/${encodeURIComponent(id)}`, undefined, signal),
  });
  return (
    <SidePanel opened onClose={onClose} size={560} title={id}>
      <FailureNotice cause={event.error} retry={() => event.refetch()} />
      {event.isPending && <Skeleton h={240} className="late" />}
      {event.data && (
        <Stack gap="xs">
          <Group justify="space-between">
            <Title order={3}>Event as JSON</Title>
            <CopyButton value={indentedJson(event.data)} what="event" compact />
          </Group>
          <pre className="code-block">{indentedJson(event.data)}</pre>
        </Stack>
      )}
    </SidePanel>
  );
}
