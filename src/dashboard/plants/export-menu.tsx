import { Button, Group, Loader, Menu, Text } from "@mantine/core";
import { Icon } from "../components/icon.tsx";
import { formatBytes } from "../text/numbers.ts";
import type { useExportRun } from "./export-run.ts";
import type { PlantsAddress } from "./plants-address.ts";

interface ExportMenuProps {
  readonly exporting: ReturnType<typeof useExportRun>;
  /** Set if the list is filtered. */
  readonly filtered: PlantsAddress | undefined;
}

/** Exports every plant, or those that match the search. */
export function ExportMenu({ exporting: { run, start, stop }, filtered }: ExportMenuProps) {
  if (run.state === "running") {
    return (
      <Group gap="xs" role="status">
        <Loader size="xs" aria-hidden="true" />
        <Text size="sm" className="figures">
          Exporting, {formatBytes(run.bytes)}
        </Text>
        <Button variant="default" onClick={stop}>
          Stop
        </Button>
      </Group>
    );
  }
  return (
    <Menu position="bottom-end" keepMounted={false}>
      <Menu.Target>
        <Button variant="default" className="icon-when-narrow" leftSection={<Icon name="download" />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {filtered && (
          <>
            <Menu.Label>Matching plants</Menu.Label>
            <Menu.Item onClick={() => void start("csv", { address: filtered })}>Matching, as CSV</Menu.Item>
            <Menu.Item onClick={() => void start("ndjson", { address: filtered })}>Matching, as NDJSON</Menu.Item>
          </>
        )}
        <Menu.Label>All plants</Menu.Label>
        <Menu.Item onClick={() => void start("csv")}>CSV, for spreadsheets</Menu.Item>
        <Menu.Item onClick={() => void start("ndjson")}>NDJSON, for programs</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
