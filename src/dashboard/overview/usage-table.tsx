import { Anchor, Button, Collapse, Stack, Table } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Link } from "wouter";
import type { UsageBucket } from "#contract/dashboard/usage.ts";
import { formatDuration, formatNumber } from "../text/numbers.ts";
import { bucketTitle } from "./chart-scale.ts";
import { lengthOf } from "./usage-chart.tsx";

interface UsageTableProps {
  readonly buckets: readonly UsageBucket[];
  /** The page of a bucket's requests. */
  readonly address: (bucket: UsageBucket) => string;
}

/** The figures of the charts as a table. Times without requests are left out. */
export function UsageTable({ buckets, address }: UsageTableProps) {
  const [open, { toggle }] = useDisclosure(false);
  const eventful = buckets.filter(({ created, other, errors }) => created + other + errors > 0);
  if (eventful.length === 0) return null;
  const measured = eventful.some(({ p50_ms }) => p50_ms !== null);
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="subtle" color="gray" size="xs" aria-expanded={open} onClick={toggle}>
        {open ? "Hide the figures" : "Show the figures"}
      </Button>
      <Collapse expanded={open} keepMounted={false} w="100%">
        <Table.ScrollContainer minWidth={measured ? 480 : 260} tabIndex={0}>
          <Table className="figures" aria-label="Usage">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>From</Table.Th>
                <Table.Th ta="end">Created</Table.Th>
                <Table.Th ta="end">Other</Table.Th>
                <Table.Th ta="end">Errors</Table.Th>
                {measured && <Table.Th ta="end">p50</Table.Th>}
                {measured && <Table.Th ta="end">p99</Table.Th>}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {eventful.map((bucket) => (
                <Table.Tr key={bucket.start}>
                  <Table.Td>
                    <Anchor component={Link} href={address(bucket)} underline="always" inherit>
                      {bucketTitle(Date.parse(bucket.start), lengthOf(bucket))}
                    </Anchor>
                  </Table.Td>
                  <Table.Td ta="end">{formatNumber(bucket.created)}</Table.Td>
                  <Table.Td ta="end">{formatNumber(bucket.other)}</Table.Td>
                  <Table.Td ta="end">{formatNumber(bucket.errors)}</Table.Td>
                  {measured && <Table.Td ta="end">{formatDuration(bucket.p50_ms)}</Table.Td>}
                  {measured && <Table.Td ta="end">{formatDuration(bucket.p99_ms)}</Table.Td>}
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Collapse>
    </Stack>
  );
}
