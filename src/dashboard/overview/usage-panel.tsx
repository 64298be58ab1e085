import { Anchor, Group, NativeSelect, SegmentedControl, Skeleton, Stack, Text, TextInput, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link, useLocation } from "wouter";
import type { Usage, UsageBucket } from "#contract/dashboard/usage.ts";
import { useSignal } from "../api/signal.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { errorMeaning } from "../developer/error-help.ts";
import { ERROR_STATUSES } from "../developer/requests.ts";
import { useTokens } from "../developer/tokens.ts";
import { DEVELOPER } from "../program/page-addresses.ts";
import { useService } from "../program/page-context.tsx";
import { formatDuration, formatNumber } from "../text/numbers.ts";
import { capitalized } from "../text/sentence.ts";
import type { UsageAddress } from "./usage.ts";
import { type Series, UsageChart } from "./usage-chart.tsx";
import { UsageTable } from "./usage-table.tsx";

const RANGES = [
  { value: "hour", label: "Hour" },
  { value: "day", label: "Day" },
  { value: "week", label: "Week" },
  { value: "month", label: "Month" },
  { value: "own", label: "Custom" },
];

const REQUESTS: readonly Series[] = [
  { label: "Created", color: "var(--chart-created)", of: ({ created }) => created },
  { label: "Other", color: "var(--chart-other)", of: ({ other }) => other },
];
const ERRORS: readonly Series[] = [{ label: "Errors", color: "var(--chart-errors)", of: ({ errors }) => errors }];
const LATENCY: readonly Series[] = [
  { label: "p99", color: "var(--chart-p99)", of: ({ p99_ms }) => p99_ms },
  { label: "p50", color: "var(--chart-created)", of: ({ p50_ms }) => p50_ms },
];

interface UsagePanelProps {
  readonly address: UsageAddress;
  readonly onChange: (change: Partial<UsageAddress>) => void;
  readonly usage: Usage | undefined;
  readonly failure: unknown;
}

/** Requests, errors and response times over time. A bar opens the requests behind it. */
export function UsagePanel({ address, onChange, usage, failure }: UsagePanelProps) {
  const queries = useQueryClient();
  const lost = useSignal(useService().connection.lost);
  const [, navigate] = useLocation();
  const open = (bucket: UsageBucket) => navigate(requestsAddress(bucket, address.token));
  const openErrors = (bucket: UsageBucket) =>
    navigate(`${requestsAddress(bucket, address.token)}&status=${ERROR_STATUSES}`);
  return (
    <Stack component="section" className="panel" aria-labelledby="usage-title">
      <UsageChoice address={address} onChange={onChange} />
      <FailureNotice cause={failure} retry={() => queries.invalidateQueries({ queryKey: ["usage"] })} />
      {!usage && (!failure || lost) && <Skeleton h={430} className="late" />}
      {usage && (
        <>
          <ChartTitle title="Requests" series={REQUESTS} />
          <UsageChart
            title={`Requests: ${formatNumber(usage.totals.created)} created, ${formatNumber(usage.totals.other)} other`}
            buckets={usage.buckets}
            series={REQUESTS}
            kind="bars"
            height={220}
            onOpen={open}
          />
          <ChartTitle title="Errors" series={ERRORS} />
          <UsageChart
            title={`Errors: ${formatNumber(usage.totals.errors)}`}
            buckets={usage.buckets}
            series={ERRORS}
            kind="bars"
            height={110}
            onOpen={openErrors}
          />
          <TopErrors errors={usage.errors} token={address.token} />
          {usage.totals.p50_ms !== null && (
            <>
              <ChartTitle title="Response time" series={LATENCY} />
              <UsageChart
                title={`Response time: p50 ${formatDuration(usage.totals.p50_ms)}, p99 ${formatDuration(usage.totals.p99_ms)}`}
                buckets={usage.buckets}
                series={LATENCY}
                kind="lines"
                height={130}
                format={formatDuration}
                onOpen={open}
              />
            </>
          )}
          <UsageTable buckets={usage.buckets} address={(bucket) => requestsAddress(bucket, address.token)} />
        </>
      )}
    </Stack>
  );
}

function requestsAddress({ start, end }: UsageBucket, token: string): string {
  const query = new URLSearchParams({ from: start, to: end, ...(token ? { token } : {}) });
  return `${DEVELOPER}/requests?${query}`;
}

function UsageChoice({ address, onChange }: Pick<UsagePanelProps, "address" | "onChange">) {
  const tokens = useTokens();
  const choices = [
    { value: "", label: "All tokens" },
    ...(tokens.data ?? []).map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` })),
  ];
  return (
    <Group justify="space-between">
      <Title order={2} id="usage-title">
        Usage
      </Title>
      <Group gap="sm">
        <NativeSelect
          aria-label="Token"
          data={choices}
          value={address.token}
          onChange={(event) => onChange({ token: event.currentTarget.value })}
          maw={220}
        />
        <SegmentedControl
          aria-label="Time"
          data={RANGES}
          value={address.range}
          onChange={(range) => onChange({ range: range as UsageAddress["range"] })}
        />
      </Group>
      {address.range === "own" && (
        <Group gap="sm" w="100%" justify="flex-end">
          <TextInput
            type="date"
            label="From"
            value={address.from}
            onChange={(event) => onChange({ from: event.currentTarget.value })}
          />
          <TextInput
            type="date"
            label="To"
            value={address.to}
            onChange={(event) => onChange({ to: event.currentTarget.value })}
          />
        </Group>
      )}
    </Group>
  );
}

function ChartTitle({ title, series }: { readonly title: string; readonly series: readonly Series[] }) {
  return (
    <Group justify="space-between" gap="sm" mt={4}>
      <Title order={3}>{title}</Title>
      {series.length > 1 && (
        <Group gap="md" className="chart-legend">
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

const TOP_ERRORS_LENGTH = 5;

function TopErrors({ errors, token }: { readonly errors: Usage["errors"]; readonly token: string }) {
  if (errors.length === 0) return <Text c="dimmed">No errors in this time.</Text>;
  return (
    <ul className="plain-list compact">
      {errors.slice(0, TOP_ERRORS_LENGTH).map(({ error, count }) => (
        <li key={error}>
          <Group gap="sm" wrap="nowrap" align="baseline">
            <Anchor
              component={Link}
              href={`${DEVELOPER}/requests?error=${error}${token ? `&token=${token}` : ""}`}
              underline="always"
              ff="monospace"
              className="link"
            >
              {error}
            </Anchor>
            <Text style={{ flex: 1 }}>{capitalized(errorMeaning(error))}</Text>
            <Text className="figures">{formatNumber(count)}</Text>
          </Group>
        </li>
      ))}
    </ul>
  );
}
