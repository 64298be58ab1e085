import { SimpleGrid, Skeleton, Stack, Text } from "@mantine/core";
import { Link } from "wouter";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import { ERROR_STATUSES } from "../developer/requests.ts";
import { DEVELOPER } from "../program/page-addresses.ts";
import { formatDuration, formatNumber, formatShare } from "../text/numbers.ts";

interface UsageFiguresProps {
  readonly overview: Overview | undefined;
  readonly usage: Usage | undefined;
  /** True if nothing is loading: missing figures are then shown as missing. */
  readonly failed: boolean;
  /** The query of the requests page for the same time and token. */
  readonly requests: string;
}

const QUANTILES = [
  { label: "Response p50", of: ({ p50_ms }: Usage["totals"]) => p50_ms },
  { label: "Response p99", of: ({ p99_ms }: Usage["totals"]) => p99_ms },
];

/**
 * The totals of the chosen time, each with its change against the same time before, and a link to the requests behind
 * it.
 */
export function UsageFigures({ overview, usage, failed, requests }: UsageFiguresProps) {
  const figures = [
    { label: "Plants", href: "/dashboard/plants", value: overview && formatNumber(overview.plants) },
    {
      label: "Created",
      href: "/dashboard/plants",
      value: usage && formatNumber(usage.totals.created),
      change: usage?.before && changeText(usage.totals.created, usage.before.created),
    },
    {
      label: "Other requests",
      href: `${DEVELOPER}/requests?${requests}`,
      value: usage && formatNumber(usage.totals.other),
      change: usage?.before && changeText(usage.totals.other, usage.before.other),
    },
    {
      label: "Errors",
      href: `${DEVELOPER}/requests?status=${ERROR_STATUSES}&${requests}`,
      value: usage && formatNumber(usage.totals.errors),
      change: usage?.before && changeText(usage.totals.errors, usage.before.errors),
    },
    // While the figures are loading their space is reserved, so that nothing below moves.
    ...QUANTILES.filter(({ of }) => (usage ? of(usage.totals) !== null : !failed)).map(({ label, of }) => {
      const ms = usage && of(usage.totals);
      const before = usage?.before && of(usage.before);
      const change = ms == null || before == null ? undefined : changeText(ms, before, formatDuration);
      const value = ms == null ? undefined : formatDuration(ms);
      return { label, href: `${DEVELOPER}/requests?${requests}`, value, change };
    }),
    { label: "Active tokens", href: `${DEVELOPER}/tokens`, value: overview && formatNumber(overview.active_tokens) },
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
