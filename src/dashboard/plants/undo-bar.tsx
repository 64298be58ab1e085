import { Button, Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { FailureNotice } from "../failure-notice.tsx";
import { formatNumber } from "../numbers.ts";
import { useSignal } from "../signal.ts";
import { dismiss, removal, UNDO_MS, undo } from "./removals.ts";

/** At the bottom of every page for as long as a removal can be undone. */
export function UndoBar() {
  const current = useSignal(removal);
  return (
    <div className="undo-bar" role="status">
      {current && (
        <Paper withBorder shadow="md" p="sm" radius="lg">
          {current.state === "failed" ? (
            <Stack gap="xs">
              <FailureNotice cause={current.cause} title={`Could not remove ${plants(current.ids.length)}`} />
              <Button variant="default" onClick={dismiss}>
                Close
              </Button>
            </Stack>
          ) : (
            <Group gap="md" wrap="nowrap" justify="space-between">
              <Text size="sm">{plants(current.ids.length)} removed</Text>
              {current.state === "undoable" ? (
                <Button size="xs" onClick={undo} autoFocus>
                  Undo ({UNDO_MS / 1000} seconds)
                </Button>
              ) : (
                <Loader size="sm" aria-label="Removing" />
              )}
            </Group>
          )}
        </Paper>
      )}
    </div>
  );
}

function plants(count: number): string {
  return count === 1 ? "1 plant" : `${formatNumber(count)} plants`;
}
