import { Button, Group, Stack, Table, Text } from "@mantine/core";
import { formatBytes } from "../numbers.ts";
import type { ImportPreview } from "./import-preview.ts";

interface ImportReadyProps {
  readonly file: File;
  readonly preview: ImportPreview;
  readonly onBack: () => void;
  readonly onStart: () => void;
}

/** The first rows, before anything is sent. */
export function ImportReady({ file, preview, onBack, onStart }: ImportReadyProps) {
  return (
    <Stack>
      <Text>
        <b>{file.name}</b>, {formatBytes(file.size)}. Its first rows:
      </Text>
      <Table className="figures" layout="fixed" aria-label="First rows" withTableBorder>
        <Table.Thead>
          <Table.Tr>
            {preview.columns.map((column) => (
              <Table.Th key={column}>{column}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {preview.rows.map((row, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the rows of a file have no other name, and never move
            <Table.Tr key={index}>
              {preview.columns.map((column, cell) => (
                <Table.Td key={column} style={{ overflowWrap: "anywhere" }}>
                  {row[cell]}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end">
        <Button variant="default" onClick={onBack}>
          Another file
        </Button>
        <Button onClick={onStart} data-autofocus autoFocus>
          Import
        </Button>
      </Group>
    </Stack>
  );
}
