import { Group, Stack, Text } from "@mantine/core";
import { paceOf } from "#contract/pace.ts";
import { Action } from "../components/action.tsx";
import { ProgressLine } from "../components/progress-line.tsx";
import { formatNumber } from "../text/numbers.ts";
import { countsText, type ImportRun } from "./import-steps.ts";

interface ImportProgressViewProps {
  readonly run: ImportRun;
  readonly onStop: () => void;
  readonly onHide: () => void;
}

export function ImportProgressView({ run, onStop, onHide }: ImportProgressViewProps) {
  const { counts, startedAt, sizeBytes } = run;
  const pace = paceOf({
    items: counts.created + counts.updated + counts.left + counts.unchanged,
    bytes: counts.bytes,
    bytesTotal: sizeBytes,
    elapsedMs: performance.now() - startedAt,
  });
  return (
    <Stack>
      <ProgressLine label="Import" share={pace.share} ref={focus} />
      <Text role="status">{countsText(run)}</Text>
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

/** Import, which had the focus, is gone; an Enter too many must not stop what it began. */
function focus(element: HTMLElement | null): void {
  element?.focus();
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
