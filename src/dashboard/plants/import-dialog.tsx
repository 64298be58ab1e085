import { Alert, Button, Code, FileButton, Group, NativeSelect, Stack, Table, Text } from "@mantine/core";
import { type DragEvent, Fragment, useRef, useState } from "react";
import { useSignal } from "../api/signal.ts";
import { Action } from "../components/action.tsx";
import { Dialog } from "../components/dialog.tsx";
import { Icon } from "../components/icon.tsx";
import { usePage } from "../program/page-context.tsx";
import { formatBytes } from "../text/numbers.ts";
import type { Assignment, Conversion, Member, UnreadableFile } from "./import-file.ts";
import { ImportProgressView, ImportResult } from "./import-progress.tsx";
import { assignColumns, type Chosen, chooseFile, isImporting, type Rejected, sendFile } from "./import-steps.ts";

const ACCEPTED = ".csv,.ndjson,.jsonl,text/csv,application/x-ndjson";

function isUnreadable(cause: unknown): cause is UnreadableFile {
  return cause instanceof Error && cause.name === "UnreadableFile";
}

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const page = usePage();
  const step = useSignal(page.importStep);
  const importing = isImporting(step);
  const reset = () => page.importStep.set({ name: "choosing" });
  const close = () => {
    if (!importing) reset();
    onClose();
  };
  const choose = (file: File, conversion?: Conversion) => void chooseFile(page, file, conversion);
  return (
    <Dialog
      onClose={close}
      title="Import plants"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!importing}
      withCloseButton={!importing}
    >
      {(step.name === "choosing" || step.name === "rejected") && (
        <FileChoice rejected={step.name === "rejected" ? step : undefined} onFile={choose} />
      )}
      {(step.name === "previewed" || step.name === "preparing") && (
        <FirstRows
          chosen={step.chosen}
          preparing={importing}
          onAssign={(assigned) => void assignColumns(page, step.chosen.file, assigned)}
          onBack={reset}
          onStart={() => void sendFile(page, step.chosen)}
        />
      )}
      {step.name === "running" && <ImportProgressView run={step.run} onStop={step.stop} onHide={onClose} />}
      {step.name === "done" && (
        <ImportResult {...step} onAgain={() => void sendFile(page, step.chosen)} onAnother={reset} onClose={close} />
      )}
    </Dialog>
  );
}

interface FileChoiceProps {
  readonly rejected: Rejected | undefined;
  readonly onFile: (file: File, conversion?: Conversion) => void;
}

function FileChoice({ rejected, onFile }: FileChoiceProps) {
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
        <Text>Drop a CSV or NDJSON file here</Text>
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
      {rejected && <RejectedFile rejected={rejected} onFile={onFile} />}
      <Text variant="remark">
        CSV begins with the names of its columns, such as <Code>id,name,tag</Code>. NDJSON has one plant a line, such as{" "}
        <Code>{'{"id": 1, "name": "Oak"}'}</Code>. Plants that exist already are left unchanged.
      </Text>
    </Stack>
  );
}

function RejectedFile({ rejected: { file, cause }, onFile }: FileChoiceProps & { readonly rejected: Rejected }) {
  const offer = isUnreadable(cause) ? cause.offer : undefined;
  return (
    <Alert color={offer ? "yellow" : "red"} role="alert">
      <Stack gap="xs" align="flex-start">
        <Text size="sm">{cause instanceof Error ? cause.message : "This file cannot be read."}</Text>
        {offer && (
          <Action size="xs" label={`Read it as ${described(offer)}`} onClick={() => onFile(file, offer)} autoFocus />
        )}
      </Stack>
    </Alert>
  );
}

function described({ encoding, separator }: Conversion): string {
  const between = { ",": "", ";": "CSV with semicolons", "\t": "CSV with tabs" }[separator];
  const written = { "utf-8": "", "windows-1252": "Windows-1252 (Western European)", "utf-16le": "UTF-16" }[encoding];
  return [written, between].filter(Boolean).join(", ");
}

interface ColumnChoiceProps {
  readonly assigned: Assignment;
  readonly onAssign: (assigned: Assignment) => void;
}

/** Which column of the file is which member of a plant. A column is at most one. */
function ColumnChoice({ assigned, onAssign }: ColumnChoiceProps) {
  const { headings, columns, firstId } = assigned;
  const options = headings.names.map((name, at) => ({ value: String(at), label: name || `Column ${at + 1}` }));
  const choose = (member: Member, value: string) => {
    const others = Object.entries(columns).filter(([name, at]) => name !== member && String(at) !== value);
    const chosen = value === "" ? {} : { [member]: Number(value) };
    onAssign({ ...assigned, columns: { ...Object.fromEntries(others), ...chosen } });
  };
  // As long as a column is chosen it is not known if any id is free.
  const mayBeNumbered = firstId !== undefined || columns.id !== undefined;
  const fields = [
    { member: "id", label: "Id", none: mayBeNumbered ? "The next free ids" : "Choose a column" },
    { member: "name", label: "Name", none: "Choose a column" },
    { member: "tag", label: "Tag", none: "None" },
  ] as const;
  return (
    <Stack gap="xs">
      <Text>Which columns of your file hold the id, the name and the tag? The others are left out.</Text>
      <div className="fitting">
        {fields.map(({ member, label, none }) => (
          <NativeSelect
            key={member}
            label={label}
            data={[{ value: "", label: none }, ...options]}
            value={columns[member] === undefined ? "" : String(columns[member])}
            autoFocus={member === "id"}
            onChange={({ currentTarget }) => choose(member, currentTarget.value)}
          />
        ))}
      </div>
      {columns.id === undefined && firstId !== undefined && (
        <Text variant="remark">
          The plants get the ids from {String(firstId)} on. A file that is imported twice adds them twice.
        </Text>
      )}
    </Stack>
  );
}

interface FirstRowsProps extends Pick<ColumnChoiceProps, "onAssign"> {
  readonly chosen: Chosen;
  /** True while the file is made ready to be sent. */
  readonly preparing: boolean;
  readonly onBack: () => void;
  readonly onStart: () => void;
}

function FirstRows({ chosen: { file, preview }, preparing, onAssign, onBack, onStart }: FirstRowsProps) {
  const { columns, rows, assigned, isIncomplete } = preview;
  return (
    <Stack>
      {assigned && <ColumnChoice assigned={assigned} onAssign={onAssign} />}
      <Text>
        <b>{file.name}</b>, {formatBytes(file.size)}. First rows:
      </Text>
      <Table layout="fixed" aria-label="First rows" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            {columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ cells, problem }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a file have no other name, and never move
            <Fragment key={index}>
              <Table.Tr bg={problem && "var(--mantine-color-red-light)"}>
                {columns.map((column, cell) => (
                  <Table.Td key={column} translate="no" className="breaks" dir="auto">
                    {cells[cell]}
                  </Table.Td>
                ))}
              </Table.Tr>
              {problem && (
                <Table.Tr bg="var(--mantine-color-red-light)">
                  <Table.Td colSpan={columns.length} className="breaks" c="var(--mantine-color-error)">
                    Will be refused: {problem}
                  </Table.Td>
                </Table.Tr>
              )}
            </Fragment>
          ))}
        </Table.Tbody>
      </Table>
      {rows.some(({ problem }) => problem !== undefined) && (
        <Text size="sm">Refused rows are skipped, and you can download them afterwards to correct them.</Text>
      )}
      <Group justify="flex-end">
        <Action label="Choose another file" onClick={onBack} disabled={preparing} />
        <Action
          kind="main"
          label="Import"
          onClick={onStart}
          disabled={isIncomplete}
          loading={preparing}
          autoFocus={!assigned}
        />
      </Group>
    </Stack>
  );
}
