import { Collapse, Group, Stack, Text, TextInput, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ComponentProps } from "react";
import { useLocation } from "wouter";
import type { Usage, UsageBucket } from "#contract/dashboard/usage.ts";
import { useAddress } from "../browser/address.ts";
import { Action } from "../components/action.tsx";
import { Answered } from "../components/answered.tsx";
import { Segments } from "../components/filters.tsx";
import { type Column, DataTable } from "../components/list.tsx";
import { PageLink } from "../components/page-link.tsx";
import { Panel } from "../components/page-title.tsx";
import { errorMeaning } from "../developer/error-help.ts";
import { ERROR_STATUSES } from "../developer/request-filter.tsx";
import { TokenFilter } from "../developer/tokens.tsx";
import { DEVELOPER } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { formatDuration, formatNumber } from "../text/numbers.ts";
import { capitalized } from "../text/sentence.ts";
import { bucketTitle } from "./chart-scale.ts";
import { RANGES, requestsAddress, type UsageChoice } from "./usage.ts";
import { type ChartSeries, lengthOf, UsageChart } from "./usage-chart.tsx";

const REQUESTS: ChartSeries = { label: "Requests", color: "var(--chart-other)", of: ({ requests }) => requests };
const PLANTS: ChartSeries = { label: "Plants created", color: "var(--chart-created)", of: ({ created }) => created };
const ERRORS: ChartSeries = { label: "Errors", color: "var(--chart-errors)", of: ({ errors }) => errors };
const LATENCY: readonly ChartSeries[] = [
  { label: "Slowest 1 %", color: "var(--chart-p99)", of: ({ p99_ms }) => p99_ms },
  { label: "Typical", color: "var(--chart-created)", of: ({ p50_ms }) => p50_ms },
];

const NOTHING = { requests: 0, created: 0, other: 0, errors: 0, p50_ms: null, p99_ms: null };
const ALL = { label: "All tokens", color: "var(--mantine-color-placeholder)" };

interface UsagePanelProps {
  readonly choice: UsageChoice;
  readonly query: ComponentProps<typeof Answered>["query"];
  readonly usage: Usage | undefined;
  /** The usage of all tokens, if one is chosen. */
  readonly all: Usage | undefined;
}

export function UsagePanel({ choice, query, usage, all }: UsagePanelProps) {
  return (
    <Panel id="usage" title="Usage">
      <Answered query={query} data={usage} shape={560}>
        {(known) => <UsageCharts usage={known} token={choice.token} all={all} />}
      </Answered>
    </Panel>
  );
}

export function UsageFilter({ choice: { range, token, ...days } }: { readonly choice: UsageChoice }) {
  const [, change] = useAddress();
  const day = (name: "from" | "to", label: string) => (
    <TextInput
      type="date"
      label={label}
      maw="100%"
      value={days[name]}
      onChange={({ currentTarget }) => change({ [name]: currentTarget.value || undefined })}
    />
  );
  // The days of a custom time go with it.
  const choose = (chosen?: string) =>
    change({ range: chosen === "day" ? undefined : chosen, from: undefined, to: undefined });
  return (
    <Stack gap="sm">
      <Group gap="sm">
        <TokenFilter value={token} onChange={(chosen) => change({ token: chosen })} maw={220} />
        <Segments label="Time" choices={RANGES} value={range} onChange={choose} />
      </Group>
      {range === "own" && (
        <Group gap="sm">
          {day("from", "From")}
          {day("to", "To")}
        </Group>
      )}
    </Stack>
  );
}

interface UsageChartsProps extends Pick<UsagePanelProps, "all"> {
  readonly usage: Usage;
  readonly token: string;
}

function UsageCharts({ usage: { totals, buckets, errors }, token, all }: UsageChartsProps) {
  const [, navigate] = useLocation();
  const mayOpen = useMay()("read requests");
  // The last bucket may be one that the other answer does not have yet.
  const byStart = all && new Map(all.buckets.map((bucket) => [bucket.start, bucket]));
  const behind = ({ of }: ChartSeries): ChartSeries | undefined =>
    byStart && { ...ALL, of: ({ start, end }) => of({ start, end, ...NOTHING, ...byStart.get(start) }) };
  const allRequests = behind(REQUESTS);
  const open = (more?: object) =>
    mayOpen ? (bucket: UsageBucket) => navigate(requestsAddress(bucket, token, more)) : undefined;
  const bars = (series: ChartSeries, total: number, height: number, more?: object) => (
    <UsageChart
      title={`${series.label}: ${formatNumber(total)}`}
      buckets={buckets}
      series={[series]}
      behind={behind(series)}
      kind="bars"
      height={height}
      onOpen={open(more)}
    />
  );
  return (
    <Stack>
      <ChartTitle title="Requests" series={allRequests ? [REQUESTS, allRequests] : [REQUESTS]} />
      {bars(REQUESTS, totals.requests, 180)}
      <ChartTitle title="Plants created" series={[PLANTS]} />
      {bars(PLANTS, totals.created, 140)}
      <ChartTitle title="Errors" series={[ERRORS]} />
      {bars(ERRORS, totals.errors, 110, { status: ERROR_STATUSES })}
      <TopErrors errors={errors} token={token} />
      {totals.p50_ms !== null && (
        <>
          <ChartTitle title="Response time" series={LATENCY} />
          <UsageChart
            title={`Response time: typically ${formatDuration(totals.p50_ms)}, slowest 1 % ${formatDuration(totals.p99_ms)}`}
            buckets={buckets}
            series={LATENCY}
            kind="lines"
            height={130}
            format={formatDuration}
            onOpen={open()}
          />
        </>
      )}
      <UsageTable buckets={buckets} token={token} all={allRequests} />
    </Stack>
  );
}

function ChartTitle({ title, series }: { readonly title: string; readonly series: readonly ChartSeries[] }) {
  return (
    <Group justify="space-between" gap="sm" mt={4}>
      <Title order={3}>{title}</Title>
      {series.length > 1 && (
        <Group gap="md" fz="xs" c="dimmed" className="chart-legend">
          {series.map(({ label, color }) => (
            <span key={label}>
              <i style={{ background: color }} /> {label}
            </span>
          ))}
        </Group>
      )}
    </Group>
  );
}

function TopErrors({ errors, token }: { readonly errors: Usage["errors"]; readonly token: string }) {
  if (errors.length === 0) return <Text c="dimmed">No errors in this time.</Text>;
  return (
    <Stack component="ul" gap={6} m={0} p={0}>
      {errors.slice(0, 5).map(({ error, count }) => (
        <Group component="li" key={error} gap={12} align="baseline" wrap="nowrap">
          <PageLink
            href={`${DEVELOPER}/requests?error=${error}${token ? `&token=${token}` : ""}`}
            ff="monospace"
            className="link"
          >
            {error}
          </PageLink>
          <Text span flex={1} inherit>
            {capitalized(errorMeaning(error))}
          </Text>
          <span>{formatNumber(count)}</span>
        </Group>
      ))}
    </Stack>
  );
}

interface UsageTableProps {
  readonly buckets: readonly UsageBucket[];
  readonly token: string;
  readonly all: ChartSeries | undefined;
}

/** The figures of the charts as a table. Times without requests are left out. */
function UsageTable({ buckets, token, all }: UsageTableProps) {
  const [open, { toggle }] = useDisclosure(false);
  const eventful = buckets.filter(({ requests, created, errors }) => requests + created + errors > 0);
  if (eventful.length === 0) return null;
  const measured = eventful.some(({ p50_ms }) => p50_ms !== null);
  const column = ({ label, of }: ChartSeries, format: (value: number | null) => string): Column<UsageBucket> => ({
    title: label,
    ta: "end",
    cell: (bucket) => format(of(bucket)),
  });
  const counts = [REQUESTS, ...(all ? [all] : []), PLANTS, ERRORS];
  const columns: Column<UsageBucket>[] = [
    {
      title: "From",
      cell: (bucket) => (
        <PageLink href={requestsAddress(bucket, token)}>
          {bucketTitle(Date.parse(bucket.start), lengthOf(bucket))}
        </PageLink>
      ),
    },
    ...counts.map((series) => column(series, (value) => formatNumber(value ?? 0))),
    ...(measured ? [...LATENCY].reverse() : []).map((series) => column(series, formatDuration)),
  ];
  const label = open ? "Hide the figures" : "Show the figures";
  return (
    <Stack gap="xs" align="flex-start">
      <Action kind="quiet" size="xs" aria-expanded={open} onClick={toggle} label={label} />
      <Collapse expanded={open} keepMounted={false} w="100%">
        <DataTable
          label="Usage"
          columns={columns}
          rows={eventful}
          keyOf={({ start }) => start}
          minWidth={measured ? 480 : 260}
        />
      </Collapse>
    </Stack>
  );
}
