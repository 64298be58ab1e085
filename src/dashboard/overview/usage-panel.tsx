import { Group, NativeSelect, SegmentedControl, Skeleton, Stack, Text, Title } from "@mantine/core";
import { lazy, Suspense } from "react";
import type { UsageRange } from "#contract/dashboard.ts";
import { errorMeaning } from "../developer/error-meaning.ts";
import { useTokens } from "../developer/tokens.ts";
import { ErrorBoundary } from "../error-boundary.tsx";
import { FailureNotice } from "../failure-notice.tsx";
import { formatNumber } from "../numbers.ts";
import { useUsage } from "./overview.ts";
import { useUsageAddress } from "./usage-address.ts";
import { UsageTable } from "./usage-table.tsx";

const UsageChart = lazy(() => import("./usage-chart.tsx"));

const CHART_HEIGHT = 280;
const NO_CHART = "The chart cannot be loaded; the table below has the same figures. Load the page again to see it.";

const RANGES: { value: UsageRange; label: string }[] = [
  { value: "hour", label: "Hour" },
  { value: "day", label: "Day" },
  { value: "month", label: "Month" },
];

/** Creates and errors over time. */
export function UsagePanel() {
  const { range, token, change } = useUsageAddress();
  const usage = useUsage(range, token);
  const tokens = useTokens();
  const choices = [
    { value: "", label: "All tokens" },
    ...(tokens.data ?? []).map(({ id, name, hint }) => ({ value: id, label: `${name} (${hint})` })),
  ];
  return (
    <Stack component="section" className="panel" aria-labelledby="usage-title">
      <Group justify="space-between">
        <Title order={2} id="usage-title">
          Created and refused
        </Title>
        <Group gap="sm">
          <NativeSelect
            aria-label="Token"
            data={choices}
            value={token ?? ""}
            onChange={(event) => change("token", event.currentTarget.value)}
            maw={220}
          />
          <SegmentedControl
            aria-label="Span"
            data={RANGES}
            value={range}
            onChange={(value) => change("range", value)}
          />
        </Group>
      </Group>
      <FailureNotice cause={usage.error} retry={() => usage.refetch()} />
      {usage.data ? (
        <>
          <ErrorBoundary fallback={<Text role="alert">{NO_CHART}</Text>}>
            <Suspense fallback={<Skeleton h={CHART_HEIGHT} className="late" />}>
              <UsageChart buckets={usage.data.buckets} range={range} />
            </Suspense>
          </ErrorBoundary>
          {usage.data.errors.length > 0 && (
            <Text size="sm">
              Refused most often:{" "}
              {usage.data.errors
                .slice(0, 3)
                .map(({ error, count }) => `${error}, ${errorMeaning(error)} (${formatNumber(count)})`)
                .join("; ")}
            </Text>
          )}
          <UsageTable buckets={usage.data.buckets} range={range} />
        </>
      ) : (
        <Skeleton h={CHART_HEIGHT} className="late" />
      )}
    </Stack>
  );
}
