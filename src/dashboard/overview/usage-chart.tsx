import { BarChart } from "@mantine/charts";
import type { Usage, UsageRange } from "#contract/dashboard.ts";
import { formatNumber } from "../numbers.ts";
import { bucketLabel } from "./bucket-label.ts";

interface UsageChartProps {
  readonly buckets: Usage["buckets"];
  readonly range: UsageRange;
}

const HEIGHT = 280;
const SERIES = [
  { name: "created", label: "Created", color: "leaf.6" },
  { name: "errors", label: "Errors", color: "red.7" },
];

/** Loaded late: with its library it is larger than all the rest of the page. The table below says the same. */
export default function UsageChart({ buckets, range }: UsageChartProps) {
  const data = buckets.map(({ start, created, errors }) => ({ label: bucketLabel(start, range), created, errors }));
  const total = (name: "created" | "errors") => formatNumber(buckets.reduce((sum, bucket) => sum + bucket[name], 0));
  return (
    <div
      className="chart"
      role="img"
      aria-label={`Chart: ${total("created")} created, ${total("errors")} errors in the last ${range}`}
    >
      <BarChart
        h={HEIGHT}
        data={data}
        dataKey="label"
        series={SERIES}
        type="stacked"
        withLegend
        tickLine="none"
        gridAxis="x"
        valueFormatter={formatNumber}
        maxBarWidth={28}
        barChartProps={{ accessibilityLayer: false }}
        yAxisProps={{ allowDecimals: false, width: 64 }}
        xAxisProps={{ minTickGap: 24 }}
      />
    </div>
  );
}
