import { Button, Code, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { CopyButton } from "../copy-button.tsx";
import { Icon } from "../icon.tsx";
import { saveFile } from "../save-file.ts";

interface BackupCodesProps {
  readonly codes: readonly string[];
  readonly onDone: () => void;
}

export function BackupCodes({ codes, onDone }: BackupCodesProps) {
  const text = `${codes.join("\n")}\n`;
  return (
    <Stack>
      <Text size="sm">
        Keep these codes where you find them without your device. Each signs you in once; they are not shown again.
      </Text>
      <SimpleGrid cols={2} spacing="xs">
        {codes.map((code) => (
          <Code key={code}>{code}</Code>
        ))}
      </SimpleGrid>
      <Group>
        <CopyButton value={text} what="backup codes" />
        <Button
          variant="default"
          leftSection={<Icon name="download" />}
          onClick={() => saveFile(text, "plantstore-backup-codes.txt", "text/plain")}
        >
          Download
        </Button>
      </Group>
      <Group justify="flex-end">
        <Button onClick={onDone}>I have kept them</Button>
      </Group>
    </Stack>
  );
}
