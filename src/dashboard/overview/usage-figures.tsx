import { Box, Skeleton, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import { ERROR_STATUSES } from "../developer/request-filter.tsx";
import { DEVELOPER, PLANTS, rightOf } from "../program/pages.ts";
import { useMay } from "../session/session.ts";
import { formatDuration, formatNumber, formatShare } from "../text/numbers.ts";
import { requestsAddress, type UsageChoice } from "./usage.ts";

interface UsageFiguresProps {
  readonly overview: Overview | undefined;
  readonly usage: Usage | undefined;
  /** True if nothing is loading: missing figures are then shown as missing. */
  readonly failed: boolean;
  readonly choice: UsageChoice;
}

type Totals = Usage["totals"];

/** A figure with the page behind it. Undefined while it is loading. */
interface Figure {
  readonly label: string;
  readonly href: string;
  readonly value: string | undefined;
  readonly remark?: string;
}

/** The two figures that matter most, and the others in a line, each with its change against the time before. */
export function UsageFigures({ overview, usage, failed, choice }: UsageFiguresProps) {
  const { main, others } = figuresOf(overview, usage, choice);
  // Figures that are loading keep their space, so that nothing below moves.
  const shown = others.filter(({ value }) => value !== NONE && (value !== undefined || !failed));
  return (
    <Stack gap="sm">
      <Box className="fitting" __vars={{ "--narrowest": "210px" }}>
        {main.map((figure) => (
          <FigureLink key={figure.label} {...figure} failed={failed} main />
        ))}
      </Box>
      <Box className="fitting" __vars={{ "--gap": "4px" }}>
        {shown.map((figure) => (
          <FigureLink key={figure.label} {...figure} failed={failed} main={false} />
        ))}
      </Box>
    </Stack>
  );
}

const NONE = "none";

function figuresOf(overview: Overview | undefined, usage: Usage | undefined, { token, range }: UsageChoice) {
  const [first, last] = [usage?.buckets[0], usage?.buckets.at(-1)];
  const requests = (more = {}) =>
    first && last ? requestsAddress({ start: first.start, end: last.end }, token, more) : `${DEVELOPER}/requests`;
  const count = (value: number | undefined) => (value === undefined ? undefined : formatNumber(value));
  const total = (label: string, href: string, of: (totals: Totals) => number | null, format = formatNumber): Figure => {
    const now = usage && of(usage.totals);
    if (now == null) return { label, href, value: now === null ? NONE : undefined };
    const before = usage?.before && of(usage.before);
    return { label, href, value: format(now), remark: before == null ? undefined : changeText(now, before, range) };
  };
  const { requests: sent = 0, errors = 0 } = usage?.totals ?? {};
  const refused = sent > 0 ? errors / sent : 0;
  const main: Figure[] = [
    { label: "Plants", href: PLANTS, value: count(overview?.plants), remark: "in all" },
    {
      label: "Requests",
      href: requests(),
      value: count(usage?.totals.requests),
      remark: usage && (refused > 0 ? `${formatShare(refused)} refused` : "none refused"),
    },
  ];
  const others = [
    total("Plants created", PLANTS, ({ created }) => created),
    total("Refused", requests({ status: ERROR_STATUSES }), ({ errors }) => errors),
    total("Typical response", requests(), ({ p50_ms }) => p50_ms, formatDuration),
    total("Slowest 1 %", requests(), ({ p99_ms }) => p99_ms, formatDuration),
    ...(overview?.active_tokens === null
      ? []
      : [{ label: "Active tokens", href: `${DEVELOPER}/tokens`, value: count(overview?.active_tokens) }]),
  ];
  return { main, others };
}

interface FigureLinkProps extends Figure {
  readonly failed: boolean;
  readonly main: boolean;
}

function FigureLink({ label, href, value, remark, failed, main }: FigureLinkProps) {
  const may = useMay();
  const className = main ? "panel figure" : "figure";
  const content = (
    <>
      <Text size="xs" c="dimmed">
        {label}
      </Text>
      {value === undefined && !failed ? (
        <Skeleton h={31} w={70} className="late" />
      ) : (
        <Text fz={main ? 28 : 16} fw={600} lh={main ? 1.3 : 1.6}>
          {value ?? "–"}
        </Text>
      )}
      {/* While it is loading its space is reserved; a row of figures without one leaves no gap. */}
      {(remark !== undefined || (value === undefined && !failed)) && (
        <Text size="xs" c="dimmed" mih={17}>
          {remark}
        </Text>
      )}
    </>
  );
  if (!may(rightOf(href))) return <div className={className}>{content}</div>;
  return (
    <Link href={href} className={className}>
      {content}
    </Link>
  );
}

/** "12 % more than the day before"; undefined if there is nothing to compare with. */
export function changeText(now: number, before: number, range: UsageChoice["range"]): string | undefined {
  const then = `the ${range === "own" ? "time" : range} before`;
  if (before === 0) return now === 0 ? undefined : `${range === "day" ? "yesterday" : then}: none`;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.0005) return `as ${then}`;
  return `${formatShare(Math.abs(change))} ${change > 0 ? "more" : "less"} than ${then}`;
}
