import { Group, Paper, Stack, Text } from "@mantine/core";
import { useLocation } from "wouter";
import { useSignal } from "../api/signal.ts";
import { useAddress } from "../browser/address.ts";
import { useStayQuestion } from "../browser/stay-question.ts";
import { Action } from "../components/action.tsx";
import { usePage } from "../program/page-context.tsx";
import { PLANTS } from "../program/pages.ts";

import { countsText, isImporting } from "./import-steps.ts";

const TITLES = { whole: "Import finished", stopped: "Import stopped", failed: "The import did not finish" };

/** Shown at the bottom of every page for an import whose dialog is not open, with the way back to it. */
export default function ImportBar() {
  const { importStep } = usePage();
  const step = useSignal(importStep);
  const [path, navigate] = useLocation();
  const [search, change] = useAddress();
  useStayQuestion(isImporting(step));
  const isOpen = path === PLANTS && search.get("open") === "import";
  if (isOpen || (!isImporting(step) && step.name !== "done")) return null;
  const show = () => {
    if (path === PLANTS) change({ open: "import", plant: undefined });
    else navigate(`${PLANTS}?open=import`);
  };
  return (
    <Paper component="section" aria-label="Import" withBorder shadow="md" p="sm" radius="lg">
      <Group gap="md" justify="space-between">
        <Stack gap={2}>
          <Text role="status">{step.name === "done" ? TITLES[step.outcome] : "Importing plants"}</Text>
          {"run" in step && <Text variant="remark">{countsText(step.run)}</Text>}
        </Stack>
        <Group gap="xs">
          {step.name === "running" && <Action label="Stop" size="xs" onClick={step.stop} />}
          {step.name === "done" && (
            <Action label="Close" size="xs" onClick={() => importStep.set({ name: "choosing" })} />
          )}
          <Action label={step.name === "done" ? "Show result" : "Show"} kind="main" size="xs" onClick={show} />
        </Group>
      </Group>
    </Paper>
  );
}
