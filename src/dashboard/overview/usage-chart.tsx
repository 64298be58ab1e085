import { Box, Stack } from "@mantine/core";
import { useElementSize } from "@mantine/hooks";
import { type MouseEvent, useState } from "react";
import type { UsageBucket } from "#contract/dashboard/usage.ts";
import { formatNumber } from "../text/numbers.ts";
import { bucketLabel, bucketTitle, labelledBuckets, valueTicks } from "./chart-scale.ts";

export interface ChartSeries {
  readonly label: string;
  readonly color: string;
  readonly of: (bucket: UsageBucket) => number | null;
}

interface UsageChartProps {
  readonly title: string;
  readonly buckets: readonly UsageBucket[];
  readonly series: readonly ChartSeries[];
  /** The whole of which each bar is a part, as a wider bar behind it. */
  readonly behind?: ChartSeries;
  /** Bars are stacked; lines are separate. */
  readonly kind: "bars" | "lines";
  readonly height: number;
  readonly format?: (value: number) => string;
  readonly onOpen?: (bucket: UsageBucket) => void;
}

const LEFT = 56;
const BOTTOM = 24;
const TOP = 8;
const LABEL = { fill: "var(--mantine-color-dimmed)", fontSize: "0.6875rem" };
const LABEL_WIDTH = 72;
/** The longest label, such as "28 Nov", in pixels. */
const LABEL_LENGTH = 44;
const LINE = { fill: "none", strokeWidth: 2, strokeLinejoin: "round", strokeLinecap: "round" } as const;
const DASH = 8;

/** A chart, which screen readers see as one image; the table below it has the same figures, also for the keyboard. */
export function UsageChart(props: UsageChartProps) {
  const { title, buckets, series, behind, kind, height, format = formatNumber, onOpen } = props;
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<number>();
  const values = buckets.map((bucket) => series.map(({ of }) => of(bucket)));
  const tops = values.map((row) => (kind === "bars" ? sum(row) : Math.max(0, ...row.map((value) => value ?? 0))));
  const behinds = behind ? buckets.map((bucket) => behind.of(bucket) ?? 0) : [];
  const ticks = valueTicks(Math.max(0, ...tops, ...behinds));
  const plot = { width: Math.max(0, width - LEFT), height: height - TOP - BOTTOM };
  const step = plot.width / Math.max(1, buckets.length);
  const x = (index: number) => LEFT + index * step;
  const y = (value: number) => TOP + plot.height * (1 - value / (ticks.at(-1) ?? 1));
  const indexAt = ({ clientX, currentTarget }: MouseEvent<HTMLElement>) => {
    const at = clientX - currentTarget.getBoundingClientRect().left - LEFT;
    return at < 0 || at >= plot.width ? undefined : Math.floor(at / step);
  };
  const open = (event: MouseEvent<HTMLElement>) => {
    const bucket = buckets[indexAt(event) ?? -1];
    if (bucket) onOpen?.(bucket);
  };
  const starts = buckets.map(({ start }) => Date.parse(start));
  return (
    // The table of figures is there for the keyboard.
    <Box
      ref={ref}
      className="chart"
      pos="relative"
      h={height}
      style={{ overflow: "hidden", cursor: onOpen && hovered !== undefined ? "pointer" : undefined }}
      onMouseMove={(event) => setHovered(indexAt(event))}
      onMouseLeave={() => setHovered(undefined)}
      onClick={open}
    >
      {width > 0 && (
        <svg width={width} height={height} role="img" aria-label={title}>
          {ticks.map((tick) => (
            <g key={tick}>
              <line stroke="var(--plantstore-line)" x1={LEFT} x2={width} y1={y(tick)} y2={y(tick)} />
              <text {...LABEL} x={LEFT - 10} y={y(tick)} dy="0.35em" textAnchor="end">
                {format(tick)}
              </text>
            </g>
          ))}
          {labelledBuckets(starts, Math.floor(plot.width / LABEL_WIDTH)).map((index) => (
            <text key={index} {...LABEL} {...labelPlace(x(index), width)} y={height - 6}>
              {bucketLabel(starts[index] ?? 0, lengthOf(buckets[0]))}
            </text>
          ))}
          {behinds.map((value, index) =>
            value === 0 ? null : (
              <rect
                key={starts[index]}
                className="chart-behind"
                fill="var(--plantstore-line)"
                stroke="var(--mantine-color-placeholder)"
                x={x(index) + step * 0.06}
                y={y(value)}
                width={step * 0.88}
                height={plot.height + TOP - y(value)}
              />
            ),
          )}
          {hovered !== undefined && (
            <rect fill="var(--mantine-color-leaf-light)" x={x(hovered)} y={TOP} width={step} height={plot.height} />
          )}
          {kind === "bars" && <Bars values={values} series={series} x={x} step={step} y={y} />}
          {kind === "lines" &&
            series.map(({ label, color, of }) => {
              const path = linePath(buckets.map(of), (at) => x(at + 0.5), y);
              return <path key={label} {...LINE} className="chart-line" style={{ stroke: color }} d={path} />;
            })}
        </svg>
      )}
      {hovered !== undefined && buckets[hovered] && (
        <HoverCard
          bucket={buckets[hovered]}
          series={behind ? [...series, behind] : series}
          format={format}
          left={x(hovered + 0.5)}
          width={width}
        />
      )}
    </Box>
  );
}

/** A label begins where its bucket does; the last one ends at the edge, which would cut it otherwise. */
export function labelPlace(x: number, width: number) {
  return x + LABEL_LENGTH > width ? ({ x: width, textAnchor: "end" } as const) : ({ x, textAnchor: "start" } as const);
}

function sum(row: readonly (number | null)[]): number {
  return row.reduce<number>((total, value) => total + (value ?? 0), 0);
}

export function lengthOf(bucket: UsageBucket | undefined): number {
  return bucket ? Date.parse(bucket.end) - Date.parse(bucket.start) : 0;
}

interface BarsProps {
  readonly values: readonly (readonly (number | null)[])[];
  readonly series: readonly ChartSeries[];
  readonly x: (index: number) => number;
  readonly step: number;
  readonly y: (value: number) => number;
}

function Bars({ values, series, x, step, y }: BarsProps) {
  const width = Math.min(28, Math.max(1, step * 0.72));
  return values.flatMap((row, at) =>
    series.map(({ label, color: fill }, index) => {
      const [below, above] = [sum(row.slice(0, index)), sum(row.slice(0, index + 1))];
      if (above === below) return null;
      // At least two pixels, so that a single error is visible.
      const height = Math.max(2, y(below) - y(above));
      const place = { x: x(at) + (step - width) / 2, y: y(below) - height, width, height, rx: Math.min(2, width / 2) };
      return <rect key={`${label} ${x(at)}`} {...place} style={{ fill }} />;
    }),
  );
}

/** A value without neighbours becomes a short dash, since a line needs two points. */
function linePath(values: readonly (number | null)[], x: BarsProps["x"], y: BarsProps["y"]): string {
  const isMeasured = (index: number) => typeof values[index] === "number";
  let path = "";
  for (const [index, value] of values.entries()) {
    if (value === null) continue;
    const before = isMeasured(index - 1);
    const alone = !before && !isMeasured(index + 1);
    path += `${before ? "L" : "M"}${(x(index) - (alone ? DASH / 2 : 0)).toFixed(1)} ${y(value).toFixed(1)}`;
    if (alone) path += `h${DASH}`;
  }
  return path;
}

interface HoverCardProps {
  readonly bucket: UsageBucket;
  readonly series: readonly ChartSeries[];
  readonly format: (value: number) => string;
  readonly left: number;
  readonly width: number;
}

function HoverCard({ bucket, series, format, left, width }: HoverCardProps) {
  const side = left > width / 2 ? { right: width - left + 12 } : { left: left + 12 };
  return (
    <Stack
      className="panel chart-card"
      gap={2}
      pos="absolute"
      top={8}
      px={12}
      py={8}
      fz="xs"
      bdrs="md"
      style={{ ...side, zIndex: 1, pointerEvents: "none", boxShadow: "var(--mantine-shadow-md)" }}
      aria-hidden="true"
    >
      <strong>{bucketTitle(Date.parse(bucket.start), lengthOf(bucket))}</strong>
      {series.map(({ label, color, of }) => {
        const value = of(bucket);
        return (
          <span key={label}>
            <i style={{ background: color }} /> {label} <b>{value === null ? "–" : format(value)}</b>
          </span>
        );
      })}
    </Stack>
  );
}
