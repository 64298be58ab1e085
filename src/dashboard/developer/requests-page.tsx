import { Badge, Text } from "@mantine/core";
import { useLocation, useParams, useSearch } from "wouter";
import type { RequestPage, RequestRecord } from "#contract/dashboard/requests.ts";
import { useLivePages } from "../api/asking.ts";
import { Action } from "../components/action.tsx";
import { type Column, EmptyState, LivePage, TableList, timeColumn } from "../components/list.tsx";
import { ClockTime, exactTime } from "../components/relative-time.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { formatDuration } from "../text/numbers.ts";
import { RequestDetails } from "./request-details.tsx";
import { RequestFilters, useRequestFilter } from "./request-filter.tsx";

const COLUMNS: readonly Column<RequestRecord>[] = [
  { title: "Status", w: 74, cell: ({ status }) => <Badge color={statusColor(status)}>{status}</Badge> },
  {
    title: "Request",
    className: "mono-names",
    name: ({ method, path }) => `${method} ${path}`,
    remark: { of: ({ at }) => <ClockTime at={at} />, hiddenFrom: "sm" },
  },
  { title: "Error", w: 90, visibleFrom: "sm", cell: ({ error }) => error },
  {
    title: "Token",
    w: "20%",
    visibleFrom: "md",
    className: "cut",
    cell: ({ token }) => (
      <bdi translate="no" title={token?.name}>
        {token?.name}
      </bdi>
    ),
  },
  { title: "Duration", w: 90, visibleFrom: "sm", ta: "end", cell: ({ ms }) => formatDuration(ms) },
  timeColumn(({ at }) => at, 90),
];

function statusColor(status: number): string {
  return status < 400 ? "leaf" : status < 500 ? "yellow" : "red";
}

export default function RequestsPage() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const search = useSearch();
  const open = (path: string) => navigate(`${DEVELOPER}/requests${path}${search ? `?${search}` : ""}`);
  const filters = useRequestFilter();
  const requests = useLivePages<RequestPage>("/requests", filters.filter);
  const kept = requests.query.data?.pages[0]?.kept;
  const empty =
    Object.keys(filters.filter).length > 0 ? (
      <EmptyState title="No results" text="No requests match these filters.">
        <Action label="Clear all filters" onClick={filters.clear} />
      </EmptyState>
    ) : (
      <EmptyState title="No requests yet" text="Requests with your tokens appear here as they come in." />
    );
  return (
    <>
      <LivePage
        title="Requests"
        text="Every refused request made with your tokens, and a sample of the successful ones."
        of={requests}
      >
        <RequestFilters {...filters} />
        <TableList
          {...requests}
          empty={empty}
          label="Requests"
          layout="fixed"
          columns={COLUMNS}
          keyOf={({ request_id }) => request_id}
          timeOf={({ at }) => at}
          onOpen={({ request_id }) => open(`/${request_id}`)}
        />
        {kept?.successes_a_second === 0 && <Text role="status">The operator has turned the request log off.</Text>}
        {kept && kept.successes_a_second > 0 && (
          // Short lines, so that browsers do not take them, which come late, for the largest part of the page.
          <div>
            <Text variant="remark">Successful ones: the first {kept.successes_a_second} of each second.</Text>
            {kept.from && <Text variant="remark">Kept since {exactTime(kept.from)}.</Text>}
          </div>
        )}
      </LivePage>
      {id && <RequestDetails id={id} onClose={() => open("")} />}
    </>
  );
}
