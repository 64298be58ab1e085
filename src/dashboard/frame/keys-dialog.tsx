import { Group, Kbd, Stack, Text } from "@mantine/core";
import { Dialog } from "../components/dialog.tsx";

const KEYS: readonly { readonly keys: readonly string[]; readonly meaning: string }[] = [
  { keys: ["Ctrl", "K"], meaning: "Search pages, actions, tokens and plants (on a Mac: Cmd K)" },
  { keys: ["/"], meaning: "Search this page" },
  { keys: ["?"], meaning: "Show these shortcuts" },
  { keys: ["Esc"], meaning: "Close the open panel or dialog" },
];

export function KeysDialog({ opened, onClose }: { readonly opened: boolean; readonly onClose: () => void }) {
  return (
    <Dialog opened={opened} onClose={onClose} title="Keyboard shortcuts">
      <Stack gap="sm">
        {KEYS.map(({ keys, meaning }) => (
          <Group key={meaning} justify="space-between" wrap="nowrap">
            <Text>{meaning}</Text>
            <Group gap={4} wrap="nowrap">
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </Group>
          </Group>
        ))}
      </Stack>
    </Dialog>
  );
}
