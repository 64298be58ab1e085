import {
  Badge,
  Button,
  Center,
  Group,
  NativeSelect,
  Pill,
  SegmentedControl,
  Skeleton,
  Stack,
  Switch,
  Table,
  Text,
  TextInput,
} from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useState } from "react";
import { useLocation, useParams, useSearch } from "wouter";
import type { RequestPage, RequestRecord } from "#contract/dashboard/requests.ts";
import { CutButton } from "../cut-button.tsx";
import { EmptyState } from "../empty-state.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { formatDuration } from "../numbers.ts";
import { DEVELOPER } from "../page-addresses.ts";
import { PageTitle } from "../page-title.tsx";
import { exactTime, RelativeTime } from "../relative-time.tsx";
import { capitalized } from "../sentence.ts";
import { RequestDetails } from "./request-details.tsx";
import { ERROR_STATUSES, type RequestFilter, searchedFor, useRequestFilter, useRequests } from "./requests.ts";
import { useTokens } from "./tokens.ts";

const STATUSES = [
  { value: "", label: "All" },
  { value: "2xx", label: "2xx" },
  { value: "4xx", label: "4xx" },
  { value: "5xx", label: "5xx" },
  { value: ERROR_STATUSES, label: "Errors" },
];
const TYPING_PAUSE_MS = 300;

/** The request log. The address includes the open request. */
export default function RequestsPage() {
  const { filter, change, clear } = useRequestFilter();
  const [live, setLive] = useState(true);
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const search = useSearch();
  const query = search ? `?${search}` : "";
  const open = (request: string) => navigate(`${DEVELOPER}/requests/${request}${query}`);
  return (
    <>
      <PageTitle
        title="Requests"
        text="Every refused request made with your tokens, and a sample of the successful ones."
      >
        <Switch label="Live" checked={live} onChange={(event) => setLive(event.currentTarget.checked)} />
      </PageTitle>
      <Stack className="panel wide" gap="sm">
        <Filters filter={filter} onChange={change} onClear={clear} />
        <RequestList filter={filter} live={live} onOpen={open} onClear={clear} />
      </Stack>
      {id && <RequestDetails id={id} onClose={() => navigate(`${DEVELOPER}/requests${query}`)} />}
    </>
  );
}

interface FiltersProps {
  readonly filter: RequestFilter;
  readonly onChange: (change: RequestFilter) => void;
  readonly onClear: () => void;
}

function Filters({ filter, onChange, onClear }: FiltersProps) {
  const tokens = useTokens();
  const choices = [
    { value: "", label: "All tokens" },
    ...(tokens.data ?? []).map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` })),
  ];
  const searched = filter.request_id ?? filter.plant ?? filter.path ?? "";
  const [typed, setTyped] = useState(searched);
  // The back button, or clearing a filter below, changes it from outside.
  useEffect(() => setTyped(searched), [searched]);
  const pause = useDebouncedCallback((text: string) => onChange(searchedFor(text)), TYPING_PAUSE_MS);
  return (
    <>
      <Group gap="sm">
        <TextInput
          aria-label="Search by request id, plant id or path"
          placeholder="Request id, plant id or path"
          inputMode="search"
          data-page-search
          leftSection={<Icon name="search" size={16} />}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
            pause(event.currentTarget.value);
          }}
          flex="2 1 220px"
        />
        <NativeSelect
          aria-label="Token"
          data={choices}
          value={filter.token ?? ""}
          onChange={(event) => onChange({ token: event.currentTarget.value })}
          flex="1 1 140px"
        />
        <SegmentedControl
          aria-label="Status"
          data={STATUSES}
          value={STATUSES.some(({ value }) => value === filter.status) ? (filter.status ?? "") : ""}
          onChange={(status) => onChange({ status })}
        />
      </Group>
      <Group gap="xs">
        <Switch
          label="The dashboard's own requests"
          checked={filter.source === "dashboard"}
          onChange={(event) => onChange({ source: event.currentTarget.checked ? "dashboard" : "" })}
        />
        {filter.error && <Chip text={`Error ${filter.error}`} onRemove={() => onChange({ error: "" })} />}
        {filter.status && !STATUSES.some(({ value }) => value === filter.status) && (
          <Chip text={`Status ${filter.status}`} onRemove={() => onChange({ status: "" })} />
        )}
        {(filter.from || filter.to) && <Chip text={timeText(filter)} onRemove={() => onChange({ from: "", to: "" })} />}
        {Object.keys(filter).length > 1 && (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={onClear}>
            Clear all filters
          </Button>
        )}
      </Group>
    </>
  );
}

/** A text such as "From 10 Mar 2026 to 11 Mar 2026". A malformed time in the address is shown unchanged. */
function timeText({ from, to }: RequestFilter): string {
  const shown = (at: string) => (Number.isNaN(Date.parse(at)) ? at : exactTime(at));
  const text = [from && `from ${shown(from)}`, to && `to ${shown(to)}`].filter(Boolean).join(" ");
  return capitalized(text);
}

function Chip({ text, onRemove }: { readonly text: string; readonly onRemove: () => void }) {
  const remove = { "aria-label": `Remove the filter: ${text}`, "aria-hidden": undefined, tabIndex: 0 };
  return (
    <Pill withRemoveButton onRemove={onRemove} removeButtonProps={remove} size="lg">
      {text}
    </Pill>
  );
}

interface RequestListProps {
  readonly filter: RequestFilter;
  readonly live: boolean;
  readonly onOpen: (id: string) => void;
  readonly onClear: () => void;
}

function RequestList({ filter, live, onOpen, onClear }: RequestListProps) {
  const list = useRequests(filter, live);
  const records = list.data?.pages.flatMap(({ data }) => data);
  const filtered = Object.keys(filter).length > 0;
  return (
    <>
      <FailureNotice cause={list.error} retry={() => list.refetch()} />
      {list.isPending && <Skeleton h={240} className="late" />}
      {records?.length === 0 && (
        <EmptyState
          order={2}
          title={filtered ? "No results" : "No requests yet"}
          text={
            filtered ? "No requests match these filters." : "Requests with your tokens appear here as they come in."
          }
        >
          {filtered && (
            <Button variant="default" onClick={onClear}>
              Clear all filters
            </Button>
          )}
        </EmptyState>
      )}
      {records && records.length > 0 && <RequestTable records={records} onOpen={onOpen} />}
      {list.hasNextPage && (
        <Center>
          <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            Show more
          </Button>
        </Center>
      )}
      {list.data?.pages[0] && <Kept kept={list.data.pages[0].kept} />}
    </>
  );
}

function Kept({ kept: { from, successes_a_second } }: Pick<RequestPage, "kept">) {
  if (successes_a_second === 0) return <Text role="status">The operator has turned the request log off.</Text>;
  return (
    <Text size="sm" c="dimmed">
      {from && `Kept since ${exactTime(from)}. `}Of successful requests, the first {successes_a_second} of each second
      are kept.
    </Text>
  );
}

interface RequestTableProps {
  readonly records: readonly RequestRecord[];
  readonly onOpen: (id: string) => void;
}

function RequestTable({ records, onOpen }: RequestTableProps) {
  return (
    <Table aria-label="Requests" className="figures" highlightOnHover layout="fixed">
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={74}>Status</Table.Th>
          <Table.Th>Request</Table.Th>
          <Table.Th visibleFrom="sm" w={90}>
            Error
          </Table.Th>
          <Table.Th visibleFrom="md" w="20%">
            Token
          </Table.Th>
          <Table.Th visibleFrom="sm" w={90} ta="end">
            Duration
          </Table.Th>
          <Table.Th visibleFrom="sm" w={130} ta="end">
            Time
          </Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {records.map(({ request_id, status, method, path, error, token, ms, at }) => (
          <Table.Tr key={request_id}>
            <Table.Td>
              <StatusBadge status={status} />
            </Table.Td>
            <Table.Td>
              <CutButton className="row-link cut mono" text={`${method} ${path}`} onClick={() => onOpen(request_id)}>
                {method} {path}
              </CutButton>
              <Text size="xs" c="dimmed" hiddenFrom="sm">
                <RelativeTime at={at} focusable={false} />
              </Text>
            </Table.Td>
            <Table.Td visibleFrom="sm">{error}</Table.Td>
            <Table.Td visibleFrom="md" className="cut" dir="auto" title={token?.name}>
              {token?.name}
            </Table.Td>
            <Table.Td visibleFrom="sm" ta="end">
              {formatDuration(ms)}
            </Table.Td>
            <Table.Td visibleFrom="sm" ta="end" c="dimmed">
              <RelativeTime at={at} focusable={false} />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function StatusBadge({ status }: { readonly status: number }) {
  const color = status < 400 ? "leaf" : status < 500 ? "yellow" : "red";
  return (
    <Badge variant="light" color={color} radius="sm" fw={500}>
      {status}
    </Badge>
  );
}
