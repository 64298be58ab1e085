import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { paceOf } from "#contract/pace.ts";
import { formatNumber } from "../text/numbers.ts";
import type { ImportRun } from "./import-run.ts";

interface ImportProgressViewProps {
  readonly run: ImportRun;
  readonly sizeBytes: number;
  readonly onStop: () => void;
}

export function ImportProgressView({ run, sizeBytes, onStop }: ImportProgressViewProps) {
  const { counts } = run;
  const pace = paceOf({
    items: counts.created + counts.unchanged + counts.failed,
    bytes: counts.bytes,
    bytesTotal: sizeBytes,
    elapsedMs: performance.now() - run.startedAt,
  });
  return (
    <Stack>
      <Progress.Root size="lg">
        <Progress.Section value={100 * pace.share} aria-label="Import" />
      </Progress.Root>
      <Text className="figures" role="status">
        {formatNumber(counts.created)} created, {formatNumber(counts.unchanged)} unchanged,{" "}
        {formatNumber(counts.failed)} refused
      </Text>
      <Text size="sm" c="dimmed" className="figures">
        {pace.secondsLeft === undefined
          ? "The first plants are on their way…"
          : `${formatNumber(pace.itemsPerSecond)} a second, ${timeLeft(pace.secondsLeft)} left`}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={onStop}>
          Stop
        </Button>
      </Group>
    </Stack>
  );
}

function timeLeft(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${Math.ceil(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`;
}
