import { Alert, Code, Group, Stack, Text } from "@mantine/core";
import type { RefusedRecord } from "#client/bulk.ts";
import { paceOf } from "#contract/pace.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { type Column, DataTable } from "../components/list.tsx";
import { formatNumber } from "../text/numbers.ts";
import type { ImportRun, ImportStep, RefusedRecords } from "./import-steps.ts";

export function countsText({ created, unchanged, failed }: ImportRun["counts"]): string {
  return `${formatNumber(created)} created, ${formatNumber(unchanged)} unchanged, ${formatNumber(failed)} refused`;
}

interface ImportProgressViewProps {
  readonly run: ImportRun;
  readonly onStop: () => void;
  /** Leaves the import to go on in the background. */
  readonly onHide: () => void;
}

export function ImportProgressView({ run, onStop, onHide }: ImportProgressViewProps) {
  const { counts, startedAt, sizeBytes } = run;
  const pace = paceOf({
    items: counts.created + counts.unchanged + counts.failed,
    bytes: counts.bytes,
    bytesTotal: sizeBytes,
    elapsedMs: performance.now() - startedAt,
  });
  return (
    <Stack>
      <progress
        style={{ width: "100%", accentColor: "var(--mantine-color-leaf-filled)" }}
        value={pace.share}
        aria-label="Import"
      />
      <Text role="status">{countsText(counts)}</Text>
      <Text variant="remark">
        {pace.secondsLeft === undefined
          ? "The first plants are on their way…"
          : `${formatNumber(pace.itemsPerSecond)} a second, ${timeLeft(pace.secondsLeft)} left`}
      </Text>
      <Group justify="flex-end">
        <Action label="Continue in the background" kind="quiet" onClick={onHide} />
        <Action label="Stop" onClick={onStop} />
      </Group>
    </Stack>
  );
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

interface ImportResultProps extends Omit<Extract<ImportStep, { readonly name: "done" }>, "name" | "chosen"> {
  readonly onAgain: () => void;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

export function ImportResult({ run, outcome, cause, onAgain, onAnother, onClose }: ImportResultProps) {
  const { failed } = run.counts;
  const whole = outcome === "whole";
  const isGood = whole && failed === 0;
  return (
    <Stack>
      <FailureNotice cause={cause} title="The import did not finish" />
      <Alert color={isGood ? "leaf" : "yellow"} icon={<Icon name={isGood ? "check" : "warning"} />} role="status">
        {countsText(run.counts)}
        {!whole && ". The rest was not sent. Sending the whole file again is safe."}
      </Alert>
      {failed > 0 && <Refused refused={run.refused} failed={failed} />}
      <Group justify="flex-end">
        {whole ? (
          <Action label="Choose another file" onClick={onAnother} />
        ) : (
          <Action label="Send it again" onClick={onAgain} />
        )}
        <Action kind="main" label="Done" onClick={onClose} autoFocus />
      </Group>
    </Stack>
  );
}

const REFUSED: readonly Column<RefusedRecord>[] = [
  { title: "Line", cell: ({ line }) => formatNumber(line) },
  { title: "Error", visibleFrom: "sm", cell: ({ error }) => <Code>{error}</Code> },
  { title: "Reason", className: "breaks", cell: ({ message }) => message },
];

function Refused({ refused, failed }: { readonly refused: RefusedRecords; readonly failed: number }) {
  return (
    <Stack gap="sm">
      <DataTable label="First refused lines" columns={REFUSED} rows={refused.first} keyOf={({ line }) => line} />
      {failed > refused.first.length && (
        <Text variant="remark">
          The first {formatNumber(refused.first.length)} of {formatNumber(failed)}.
        </Text>
      )}
      <Group>
        <Action label="Refused lines" icon="download" onClick={() => refused.saveRecords()} />
        <Action label="Reasons" icon="download" onClick={() => refused.saveReasons()} />
      </Group>
    </Stack>
  );
}
