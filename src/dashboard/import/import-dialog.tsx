import { Alert, Anchor, Button, Code, FileButton, Group, Loader, Stack, Text } from "@mantine/core";
import { type DragEvent, lazy, Suspense, useRef, useState } from "react";
import { GUIDES_PATH } from "#contract/guides.ts";
import { useSignal } from "../api/signal.ts";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { usePage } from "../program/page-context.tsx";
import { chooseFile, loadParts } from "./choose-file.ts";
import { type ImportStep, isImporting } from "./import-steps.ts";

const ACCEPTED = ".csv,.tsv,.txt,.xlsx,.ndjson,.jsonl,text/csv,application/x-ndjson";

const ImportStages = lazy(async () => ({ default: (await loadParts()).ImportStages }));

/** Takes a file; what comes then is loaded with the readers of files. */
export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const step = useSignal(page.importStep);
  const importing = isImporting(step);
  const reset = () => page.importStep.set({ name: "choosing" });
  const close = () => {
    if (!importing) reset();
    onClose();
  };
  return (
    <Dialog
      onClose={close}
      title="Import plants"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!importing}
      withCloseButton={!importing}
    >
      {step.name === "choosing" || step.name === "rejected" ? (
        <FileChoice step={step} onFile={(file) => void chooseFile(page, file)} />
      ) : (
        <Suspense>
          <ImportStages step={step} onAnother={reset} onHide={onClose} onClose={close} />
        </Suspense>
      )}
    </Dialog>
  );
}

interface FileChoiceProps {
  readonly step: Extract<ImportStep, { readonly name: "choosing" | "rejected" }>;
  readonly onFile: (file: File) => void;
}

function FileChoice({ step, onFile }: FileChoiceProps) {
  const [over, setOver] = useState(false);
  const forgetFile = useRef<() => void>(null);
  const drag = (event: DragEvent, inside: boolean) => {
    event.preventDefault();
    setOver(inside);
  };
  const take = (file: File | null | undefined) => {
    // Allows the same file to be chosen again after it was corrected.
    forgetFile.current?.();
    if (file) onFile(file);
  };
  return (
    <Stack>
      {/* Dropping is a second way; the button is there for the keyboard. */}
      <Stack
        className="drop-zone"
        align="center"
        ta="center"
        gap="sm"
        px="md"
        py="xl"
        bdrs="lg"
        bd={`2px dashed var(--mantine-color-${over ? "leaf-filled" : "placeholder"})`}
        bg={over ? "var(--mantine-color-leaf-light)" : undefined}
        onDragOver={(event) => drag(event, true)}
        onDragLeave={() => setOver(false)}
        onDrop={(event) => {
          drag(event, false);
          take(event.dataTransfer.files[0]);
        }}
      >
        <Icon name="upload" size={28} />
        <Text>Drop an Excel, CSV or NDJSON file here</Text>
        <FileButton
          accept={ACCEPTED}
          resetRef={forgetFile}
          onChange={take}
          inputProps={{ "aria-label": "File to import" }}
        >
          {(props) => (
            <Button {...props} variant="default" data-autofocus>
              Choose a file
            </Button>
          )}
        </FileButton>
      </Stack>
      {step.name === "choosing" && step.reading && (
        <Group gap="xs" className="late" role="status">
          <Loader size="xs" aria-hidden="true" />
          <Text size="sm">
            Reading <span translate="no">{step.reading.name}</span>…
          </Text>
        </Group>
      )}
      {step.name === "rejected" && (
        <Alert color="red" role="alert">
          {step.cause instanceof Error ? step.cause.message : "This file cannot be read."}
        </Alert>
      )}
      <Text variant="remark">
        A table may have any columns: you see what was understood, and what becomes of each row, before anything is
        added. NDJSON has one plant a line, such as <Code>{'{"id": 1, "name": "Oak"}'}</Code>.{" "}
        <Anchor href={`${GUIDES_PATH}/from-a-spreadsheet`} target="_blank">
          More about lists
        </Anchor>
      </Text>
    </Stack>
  );
}
