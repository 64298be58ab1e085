import { Group, Stack, Text } from "@mantine/core";
import { Action } from "../components/action.tsx";
import { Dialog } from "../components/dialog.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { UndoOutcome, useImportUndo } from "../import/import-undo.tsx";
import { excerpt } from "../text/sentence.ts";

/** Asks before an import is undone, and shows how that goes and what it left. */
export function UndoDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { record, undo, change, failure } = useImportUndo(id);
  return (
    <Dialog onClose={onClose} title="Undo this import">
      <Stack>
        <FailureNotice cause={change.error ?? failure} title="The import could not be undone" />
        {record && undo && <UndoOutcome record={record} undo={undo} />}
        {record && !undo && (
          <Text>
            This removes the plants that <bdi translate="no">{excerpt(record.file_name)}</bdi> added and puts back those
            that it updated. What somebody has changed since is left.
          </Text>
        )}
        <Group justify="flex-end">
          <Action label={undo ? "Close" : "Cancel"} onClick={onClose} />
          {record && (!undo || undo.state === "stopped") && (
            <Action kind="danger" label={undo ? "Continue" : "Undo this import"} change={change} />
          )}
        </Group>
      </Stack>
    </Dialog>
  );
}
