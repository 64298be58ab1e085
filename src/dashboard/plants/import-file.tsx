import { Button, Code, FileButton, Stack, Text } from "@mantine/core";
import { type DragEvent, useState } from "react";
import { shownFailure } from "../api/failure.ts";
import { Icon } from "../icon.tsx";

interface ImportFileProps {
  readonly unreadable: unknown;
  readonly onFile: (file: File) => void;
}

const ACCEPTED = ".csv,.ndjson,.jsonl,text/csv,application/x-ndjson";

/** A place to drop a file on, and a button for the keyboard. */
export function ImportFile({ unreadable, onFile }: ImportFileProps) {
  const [over, setOver] = useState(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const [file] = event.dataTransfer.files;
    if (file) onFile(file);
  };
  return (
    <Stack>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the button is there for the keyboard */}
      <div
        className="drop-zone"
        data-over={over || undefined}
        onDragOver={(event) => {
          event.preventDefault();
          setOver(true);
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Stack align="center" gap="sm">
          <Icon name="upload" size={28} />
          <Text>Drop a CSV or NDJSON file here</Text>
          <FileButton
            accept={ACCEPTED}
            onChange={(file) => file && onFile(file)}
            inputProps={{ "aria-label": "File to import" }}
          >
            {(props) => (
              <Button {...props} variant="default" data-autofocus>
                Choose a file
              </Button>
            )}
          </FileButton>
        </Stack>
      </div>
      {unreadable !== undefined && (
        <Text c="var(--mantine-color-error)" size="sm" role="alert">
          Cannot read this file. {messageOf(unreadable)}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        CSV begins with <Code>id,name,tag</Code>; NDJSON has a plant on each line, as in{" "}
        <Code>{'{"id": 1, "name": "Oak"}'}</Code>. A plant that is there already, just so, stays as it is.
      </Text>
    </Stack>
  );
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : shownFailure(cause).message;
}
