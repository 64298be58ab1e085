import { SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import { ERROR_STATUSES } from "../developer/request-filter.tsx";
import { DEVELOPER, PLANTS } from "../program/pages.ts";
import { formatDuration, formatNumber, formatShare } from "../text/numbers.ts";
import { requestsAddress } from "./usage.ts";

interface UsageFiguresProps {
  readonly overview: Overview | undefined;
  readonly usage: Usage | undefined;
  /** True if nothing is loading: missing figures are then shown as missing. */
  readonly failed: boolean;
  /** The token whose usage it is; empty for all. */
  readonly token: string;
}

type Totals = Usage["totals"];
type Figure = "created" | "other" | "errors" | "p50_ms" | "p99_ms";

/**
 * The totals of the chosen time, each with its change against the same time before, and a link to the requests behind
 * it.
 */
export function UsageFigures({ overview, usage, failed, token }: UsageFiguresProps) {
  const [first, last] = [usage?.buckets[0], usage?.buckets.at(-1)];
  const requests = (more = {}) =>
    first && last ? requestsAddress({ start: first.start, end: last.end }, token, more) : `${DEVELOPER}/requests`;
  const total = (label: string, name: Figure, href: string, format = formatNumber) => {
    const [now, before] = [usage?.totals, usage?.before].map((totals?: Totals | null) => totals?.[name] ?? undefined);
    const change = now === undefined || before === undefined ? undefined : changeText(now, before, format);
    return { label, href, value: now === undefined ? undefined : format(now), change };
  };
  const count = (label: string, href: string, value: number | undefined) => {
    return { label, href, value: value === undefined ? undefined : formatNumber(value), change: undefined };
  };
  // While the figures are loading their space is reserved, so that nothing below moves.
  const measured = usage ? usage.totals.p50_ms !== null : !failed;
  const figures = [
    count("Plants", PLANTS, overview?.plants),
    total("Created", "created", PLANTS),
    total("Other requests", "other", requests()),
    total("Errors", "errors", requests({ status: ERROR_STATUSES })),
    ...(measured ? [total("Response p50", "p50_ms", requests(), formatDuration)] : []),
    ...(measured ? [total("Response p99", "p99_ms", requests(), formatDuration)] : []),
    count("Active tokens", `${DEVELOPER}/tokens`, overview?.active_tokens),
  ];
  return (
    <SimpleGrid cols={{ base: 2, md: figures.length }} spacing="sm">
      {figures.map(({ label, href, value, change }) => (
        <Link key={label} href={href} className="panel figure">
          <Stack gap={2}>
            <Text size="xs" c="dimmed">
              {label}
            </Text>
            {value === undefined && !failed ? (
              <Skeleton h={31} w={70} className="late" />
            ) : (
              <Text className="figures figure-value">{value ?? "–"}</Text>
            )}
            <Text size="xs" c="dimmed" className="figures" mih={19}>
              {change}
            </Text>
          </Stack>
        </Link>
      ))}
    </SimpleGrid>
  );
}

/** "+12 % from 400" or "no change"; undefined if there is nothing to compare with. */
export function changeText(now: number, before: number, format = formatNumber): string | undefined {
  if (before === 0) return now === 0 ? undefined : `from ${format(0)}`;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.0005) return "no change";
  return `${change > 0 ? "+" : "−"}${formatShare(Math.abs(change))} from ${format(before)}`;
}
