import { Alert, Group, Stack } from "@mantine/core";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { importedHref } from "../plants/imported-plants.ts";
import { usePage } from "../program/page-context.tsx";
import { formatNumber } from "../text/numbers.ts";
import { AttentionLines } from "./attention-lines.tsx";
import { countsText, type ImportStep } from "./import-steps.ts";
import { UndoOutcome, useImportUndo } from "./import-undo.tsx";
import { send } from "./sending.ts";

interface ImportResultProps {
  readonly step: Extract<ImportStep, { readonly name: "done" }>;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

/** What an import did, and its undo for as long as that is shown. */
export function ImportResult({ step, onAnother, onClose }: ImportResultProps) {
  const page = usePage();
  const { run, outcome, cause, chosen, importId } = step;
  const { record, undo, change } = useImportUndo(importId);
  const whole = outcome === "whole";
  const isGood = whole && run.attention.lines.size === 0;
  const written = run.counts.created + run.counts.updated;
  const isOffered = importId !== undefined && written > 0 && undo?.state !== "running" && undo?.state !== "done";
  return (
    <Stack>
      <FailureNotice cause={cause} title="The import did not finish" />
      {record && undo ? (
        <UndoOutcome record={record} undo={undo} />
      ) : (
        <Alert color={isGood ? "leaf" : "yellow"} icon={<Icon name={isGood ? "check" : "warning"} />} role="status">
          {countsText(run)}
          {!whole && ". The rest was not sent. Sending the whole file again is safe."}
        </Alert>
      )}
      <AttentionLines source={chosen.source} attention={run.attention} />
      <FailureNotice cause={change.error} title="The import could not be undone" />
      <Group justify="flex-end">
        {isOffered && <Action label="Undo this import" change={change} />}
        {isOffered && !undo && <Action label={`Show these ${formatNumber(written)}`} href={importedHref(importId)} />}
        {whole || undo ? (
          <Action label="Choose another file" onClick={onAnother} />
        ) : (
          <Action label="Send it again" onClick={() => void send(page, step)} />
        )}
        <Action kind="main" label="Done" onClick={onClose} autoFocus />
      </Group>
    </Stack>
  );
}
