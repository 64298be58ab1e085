import { Button, Group, Loader, Menu, Text } from "@mantine/core";
import { useRef, useState } from "react";
import type { BulkFormat } from "#client/bulk-format.ts";
import type { StoredPlant } from "#client/plant.ts";
import { ItemStream } from "#client/stream.ts";
import { keptPlantBody } from "#contract/v1/plant.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { blobOf, saveFile } from "../browser/save-file.ts";
import { Action } from "../components/action.tsx";
import { Icon } from "../components/icon.tsx";
import { MenuTarget } from "../components/menu-target.tsx";
import { useService } from "../program/page-context.tsx";
import { formatBytes } from "../text/numbers.ts";
import { listedPlants } from "./imported-plants.ts";
import { type ShownQuery, selectedPlants } from "./matching-plants.ts";
import { PEOPLE_CSV_HEADER, peopleCsvRecord, workbookOfPlants } from "./people-export.ts";

/** Every plant, those that the query finds, or of these the ones with these ids. */
interface ExportChoice {
  readonly query?: ShownQuery;
  readonly ids?: ReadonlySet<string>;
}

type ExportFormat = BulkFormat | "xlsx";

/** Chromium can write a file as it arrives (File System Access); other browsers collect it first. */
interface FilePicker {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<{ createWritable(): Promise<WritableStream> }>;
}

/** Fetches plants into a file. `bytes` is undefined while nothing is fetched. */
export function useExport() {
  const service = useService();
  const [bytes, setBytes] = useState<number>();
  const [failure, setFailure] = useState<unknown>(null);
  const abort = useRef<AbortController>(undefined);
  const start = async (format: ExportFormat, choice: ExportChoice = {}) => {
    const name = `plants.${format}`;
    abort.current = new AbortController();
    const { signal } = abort.current;
    setFailure(null);
    try {
      const picked = await (window as FilePicker).showSaveFilePicker?.({ suggestedName: name });
      const target = await picked?.createWritable();
      setBytes(0);
      const source = exported(service, format, choice, signal, setBytes);
      if (target) await source.pipeTo(target, { signal });
      else saveFile(await blobOf(source), name, "application/octet-stream");
    } catch (cause) {
      const stopped = signal.aborted || (cause instanceof DOMException && cause.name === "AbortError");
      if (!stopped) setFailure(cause);
    }
    setBytes(undefined);
  };
  return { bytes, failure, start, stop: () => abort.current?.abort(), dismiss: () => setFailure(null) };
}

function exported(
  service: ServiceClient,
  format: ExportFormat,
  { query, ids }: ExportChoice,
  signal: AbortSignal,
  show: (bytes: number) => void,
): ReadableStream<Uint8Array> {
  const { client } = service;
  if (!query && format === "ndjson")
    return client.export({ format, signal }).readable().pipeThrough(countedBytes(show));
  const found = () => {
    if (!query) return client.export({ signal })[Symbol.asyncIterator]();
    const listed = listedPlants(service, query, signal);
    return ids ? selectedPlants(client, listed, ids, signal) : listed;
  };
  if (format === "xlsx") return workbookBytes(found(), signal, show);
  return new ItemStream(found).readable().pipeThrough(recordBytes(format)).pipeThrough(countedBytes(show));
}

/** NDJSON has the same bytes for each plant as an export of the service; CSV is for spreadsheets. */
function recordBytes(format: BulkFormat): TransformStream<StoredPlant, Uint8Array> {
  const encoder = new TextEncoder();
  return new TransformStream({
    start(controller) {
      if (format === "csv") controller.enqueue(encoder.encode(PEOPLE_CSV_HEADER));
    },
    transform(plant, controller) {
      controller.enqueue(encoder.encode(format === "csv" ? peopleCsvRecord(plant) : lineOf(plant)));
    },
  });
}

function lineOf(plant: StoredPlant): string {
  const { createdAt, updatedAt } = plant;
  return `${keptPlantBody({ ...plant, createdAt: createdAt.getTime(), updatedAt: updatedAt.getTime() })}\n`;
}

/** A workbook is written once all its plants are there. */
function workbookBytes(plants: AsyncIterable<StoredPlant>, signal: AbortSignal, show: (bytes: number) => void) {
  return new ItemStream(async function* () {
    // About as many bytes as a plant has.
    const workbook = await workbookOfPlants(plants, signal, (count) => show(100 * count));
    yield new Uint8Array(await workbook.arrayBuffer());
  }).readable();
}

/** Shows five times a second how much has come. */
function countedBytes(show: (bytes: number) => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  let shownAt = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (performance.now() - shownAt > 200) {
        shownAt = performance.now();
        show(bytes);
      }
      controller.enqueue(chunk);
    },
  });
}

const FORMATS = [
  { format: "xlsx", label: "Excel (.xlsx)", remark: "Keeps every text and id, even after it is saved again" },
  { format: "csv", label: "CSV", remark: "For spreadsheets, which may change dates and numbers in it" },
  { format: "ndjson", label: "NDJSON", remark: "For programs" },
] as const;

interface ExportMenuProps {
  readonly exporting: ReturnType<typeof useExport>;
  readonly query: ShownQuery | undefined;
}

export function ExportMenu({ exporting: { bytes, start, stop }, query }: ExportMenuProps) {
  if (bytes !== undefined) {
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden="true" />
        <Text size="sm">Exporting, {formatBytes(bytes)}</Text>
        <Action label="Stop" onClick={stop} />
      </Group>
    );
  }
  const items = (choice?: ExportChoice) =>
    FORMATS.map(({ format, label, remark }) => (
      <Menu.Item key={format} onClick={() => void start(format, choice)}>
        {choice ? `Matching, as ${label}` : label}
        <Text size="xs">{remark}</Text>
      </Menu.Item>
    ));
  return (
    <Menu position="bottom-end" keepMounted={false}>
      <MenuTarget>
        <Button variant="default" className="icon-when-narrow" leftSection={<Icon name="download" />}>
          Export
        </Button>
      </MenuTarget>
      <Menu.Dropdown>
        {query && (
          <>
            <Menu.Label>Matching plants</Menu.Label>
            {items({ query })}
          </>
        )}
        <Menu.Label>All plants</Menu.Label>
        {items()}
      </Menu.Dropdown>
    </Menu>
  );
}
