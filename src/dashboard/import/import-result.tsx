import { Alert, Group, Stack } from "@mantine/core";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { Icon } from "../components/icon.tsx";
import { usePage } from "../program/page-context.tsx";
import { AttentionLines } from "./attention-lines.tsx";
import { countsText, type ImportStep } from "./import-steps.ts";
import { send } from "./sending.ts";

interface ImportResultProps {
  readonly step: Extract<ImportStep, { readonly name: "done" }>;
  readonly onAnother: () => void;
  readonly onClose: () => void;
}

export function ImportResult({ step, onAnother, onClose }: ImportResultProps) {
  const page = usePage();
  const { run, outcome, cause, chosen } = step;
  const whole = outcome === "whole";
  const isGood = whole && run.attention.lines.size === 0;
  return (
    <Stack>
      <FailureNotice cause={cause} title="The import did not finish" />
      <Alert color={isGood ? "leaf" : "yellow"} icon={<Icon name={isGood ? "check" : "warning"} />} role="status">
        {countsText(run)}
        {!whole && ". The rest was not sent. Sending the whole file again is safe."}
      </Alert>
      <AttentionLines source={chosen.source} attention={run.attention} />
      <Group justify="flex-end">
        {whole ? (
          <Action label="Choose another file" onClick={onAnother} />
        ) : (
          <Action label="Send it again" onClick={() => void send(page, step)} />
        )}
        <Action kind="main" label="Done" onClick={onClose} autoFocus />
      </Group>
    </Stack>
  );
}
