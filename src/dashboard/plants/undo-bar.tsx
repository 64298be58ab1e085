import { Button, Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { useSignal } from "../api/signal.ts";
import { FailureNotice } from "../components/failure-notice.tsx";
import { usePage } from "../program/page-context.tsx";
import { counted, formatNumber } from "../text/numbers.ts";
import { UNDO_MS } from "./removals.ts";

/** Shown at the bottom of every page as long as a removal can be undone. */
export function UndoBar() {
  const { removals } = usePage();
  const current = useSignal(removals.current);
  return (
    <div className="undo-bar" role="status">
      {current && (
        <Paper withBorder shadow="md" p="sm" radius="lg">
          {current.state === "failed" ? (
            <Stack gap="xs">
              <FailureNotice
                cause={current.cause}
                title={`${counted(current.ids.length, "plant")} could not be removed`}
                retry={() => void removals.removeAgain()}
              />
              <Button variant="default" onClick={() => removals.dismiss()}>
                Close
              </Button>
            </Stack>
          ) : (
            <Group gap="md" wrap="nowrap" justify="space-between">
              <Text className="figures">
                {current.done > 0 && `${formatNumber(current.done)} of `}
                {counted(current.ids.length, "plant")} removed
              </Text>
              {current.state === "undoable" ? (
                <Button size="xs" flex="none" onClick={() => removals.undo()} autoFocus>
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
