import { Alert, Button, Code, Group, Stack, Table, Text } from "@mantine/core";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { formatNumber } from "../text/numbers.ts";
import type { ImportRun } from "./import-run.ts";

interface ImportResultProps {
  readonly run: ImportRun;
  readonly onAgain: () => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

export function ImportResult({ run, onAgain, onAnother, onClose }: ImportResultProps) {
  const { created, unchanged, failed } = run.counts;
  const whole = run.state === "done";
  return (
    <Stack>
      <FailureNotice cause={run.cause} title="The import did not finish" />
      <Alert
        color={failed > 0 || !whole ? "yellow" : "leaf"}
        icon={<Icon name={failed > 0 ? "warning" : "check"} />}
        role="status"
      >
        {formatNumber(created)} created, {formatNumber(unchanged)} unchanged, {formatNumber(failed)} refused
        {!whole && ". The rest was not sent. Sending the whole file again is safe."}
      </Alert>
      {failed > 0 && <Refused run={run} />}
      <Group justify="flex-end">
        {whole ? (
          <Button variant="default" onClick={onAnother}>
            Another file
          </Button>
        ) : (
          <Button variant="default" onClick={onAgain}>
            Send it again
          </Button>
        )}
        <Button onClick={onClose} autoFocus>
          Done
        </Button>
      </Group>
    </Stack>
  );
}

function Refused({ run }: { readonly run: ImportRun }) {
  return (
    <Stack gap="sm">
      <Table className="figures" aria-label="First refused lines">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Line</Table.Th>
            <Table.Th visibleFrom="sm">Error</Table.Th>
            <Table.Th>Reason</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {run.firstRefused.map(({ line, error, message }) => (
            <Table.Tr key={line}>
              <Table.Td>{formatNumber(line)}</Table.Td>
              <Table.Td visibleFrom="sm">
                <Code>{error}</Code>
              </Table.Td>
              <Table.Td style={{ overflowWrap: "anywhere" }}>{message}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {run.counts.failed > run.firstRefused.length && (
        <Text size="sm" c="dimmed">
          The first {formatNumber(run.firstRefused.length)} of {formatNumber(run.counts.failed)}.
        </Text>
      )}
      <Group>
        <Button variant="default" leftSection={<Icon name="download" />} onClick={() => run.refused?.saveRecords()}>
          Refused lines
        </Button>
        <Button variant="default" leftSection={<Icon name="download" />} onClick={() => run.refused?.saveReasons()}>
          Reasons
        </Button>
      </Group>
    </Stack>
  );
}
