import { Button, Group, Loader, Menu, Text } from "@mantine/core";
import { FailureNotice } from "../failure-notice.tsx";
import { Icon } from "../icon.tsx";
import { formatBytes } from "../numbers.ts";
import { useExportRun } from "./export-run.ts";

/** Every plant of the account, whatever the filter says. */
export function ExportMenu() {
  const { run, start, stop, reset } = useExportRun();
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
    <>
      {run.state === "failed" && (
        <FailureNotice cause={run.cause} title="The export broke off" retry={reset} retryLabel="Close" />
      )}
      <Menu position="bottom-end" keepMounted={false}>
        <Menu.Target>
          <Button variant="default" leftSection={<Icon name="download" />}>
            Export
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>All plants, as of now</Menu.Label>
          <Menu.Item onClick={() => void start("csv")}>CSV, for spreadsheets</Menu.Item>
          <Menu.Item onClick={() => void start("ndjson")}>NDJSON, for programs</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
