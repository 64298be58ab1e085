import { Modal } from "@mantine/core";
import { useState } from "react";
import { ImportFile } from "./import-file.tsx";
import { type ImportPreview, previewOf } from "./import-preview.ts";
import { ImportProgressView } from "./import-progress.tsx";
import { ImportReady } from "./import-ready.tsx";
import { ImportResult } from "./import-result.tsx";
import { useImportRun } from "./import-run.ts";

interface Chosen {
  readonly file: File;
  readonly preview: ImportPreview;
}

/** Choose a file, see its first rows, send it, see what became of it. */
export default function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen>();
  const [unreadable, setUnreadable] = useState<unknown>();
  const { run, start, stop, reset } = useImportRun();
  const choose = async (file: File) => {
    setUnreadable(undefined);
    try {
      setChosen({ file, preview: await previewOf(file) });
    } catch (cause) {
      setUnreadable(cause);
    }
  };
  const startOver = () => {
    reset();
    setChosen(undefined);
  };
  const running = run.state === "running";
  return (
    <Modal
      opened
      onClose={onClose}
      title="Import plants"
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={!running}
      withCloseButton={!running}
    >
      {!chosen && <ImportFile unreadable={unreadable} onFile={choose} />}
      {chosen && run.state === "ready" && (
        <ImportReady
          file={chosen.file}
          preview={chosen.preview}
          onBack={startOver}
          onStart={() => void start(chosen.file, chosen.preview)}
        />
      )}
      {chosen && running && <ImportProgressView run={run} sizeBytes={chosen.file.size} onStop={stop} />}
      {chosen && run.state !== "ready" && !running && (
        <ImportResult
          run={run}
          onAgain={() => void start(chosen.file, chosen.preview)}
          onAnother={startOver}
          onClose={onClose}
        />
      )}
    </Modal>
  );
}
