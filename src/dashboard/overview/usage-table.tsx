import { Button, Collapse, Stack, Table } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { Usage, UsageRange } from "#contract/dashboard.ts";
import { formatNumber } from "../numbers.ts";
import { bucketLabel } from "./bucket-label.ts";

interface UsageTableProps {
  readonly buckets: Usage["buckets"];
  readonly range: UsageRange;
}

/** The chart's figures, for who reads rather than looks. Spans in which nothing happened are left out. */
export function UsageTable({ buckets, range }: UsageTableProps) {
  const [open, { toggle }] = useDisclosure(false);
  const eventful = buckets.filter(({ created, errors }) => created + errors > 0);
  if (eventful.length === 0) return null;
  return (
    <Stack gap="xs" align="flex-start">
      <Button variant="subtle" color="gray" size="xs" aria-expanded={open} onClick={toggle}>
        {open ? "Hide the figures" : "Show the figures"}
      </Button>
      <Collapse expanded={open} keepMounted={false} w="100%">
        <Table className="figures" aria-label="Created and refused">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>From</Table.Th>
              <Table.Th ta="end">Created</Table.Th>
              <Table.Th ta="end">Errors</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {eventful.map(({ start, created, errors }) => (
              <Table.Tr key={start}>
                <Table.Td>{bucketLabel(start, range)}</Table.Td>
                <Table.Td ta="end">{formatNumber(created)}</Table.Td>
                <Table.Td ta="end">{formatNumber(errors)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Collapse>
    </Stack>
  );
}
