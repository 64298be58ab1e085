import { Group, Loader, Paper, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { useSignal } from "../api/signal.ts";
import { useStayQuestion } from "../browser/stay-question.ts";
import { Action } from "../components/action.tsx";
import { FailureNotice } from "../components/failure-notice.tsx";
import { focusTitle } from "../components/page-title.tsx";
import { usePage } from "../program/page-context.tsx";
import { counted, formatNumber } from "../text/numbers.ts";
import { isUnderWay, UNDO_MS } from "./removals.ts";

/** Shown at the bottom of every page as long as a removal can be undone. */
export function UndoBar() {
  const { removals } = usePage();
  const current = useSignal(removals.current);
  useStayQuestion(isUnderWay(current));
  if (!current) return <div role="status" />;
  const { state, done, ids, cause } = current;
  const plants = counted(ids.length, "plant");
  return (
    <div role="status">
      <Paper withBorder shadow="md" p="sm" radius="lg">
        {state === "failed" ? (
          <Stack gap="xs">
            <FailureNotice
              cause={cause}
              title={`${plants} could not be removed`}
              retry={() => removals.removeAgain()}
            />
            <Action label="Close" onClick={() => removals.dismiss()} />
          </Stack>
        ) : (
          <Group gap="md" wrap="nowrap" justify="space-between">
            <Text>
              {done > 0 && `${formatNumber(done)} of `}
              {plants} removed
            </Text>
            {state === "removing" && <Loader size="sm" aria-label="Removing" />}
            {state === "undoable" && <UndoButton onClick={() => removals.undo()} />}
          </Group>
        )}
      </Paper>
    </div>
  );
}

function UndoButton({ onClick }: { readonly onClick: () => void }) {
  useEffect(
    () => () => {
      // Below it is nothing to which the keyboard could go on.
      if (document.activeElement === document.body) focusTitle();
    },
    [],
  );
  return (
    <Action
      kind="main"
      label={`Undo (${UNDO_MS / 1000} seconds)`}
      size="xs"
      flex="none"
      onClick={onClick}
      // It may come late, after the removal before it, while the reader is typing.
      autoFocus={!document.activeElement?.matches("input, textarea")}
    />
  );
}
