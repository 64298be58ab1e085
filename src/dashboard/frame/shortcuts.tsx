import { Group, Kbd, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { Dialog } from "../components/dialog.tsx";

export type Shortcut = "palette" | "search" | "keys" | "close-menu";

interface PressedKey extends Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey"> {
  /** True while the reader types into a field. */
  readonly typing: boolean;
}

/** Maps a key to its action. Undefined for keys that belong to the browser or to a text field. */
export function shortcutOf({ key, ctrlKey, metaKey, altKey, typing }: PressedKey): Shortcut | undefined {
  if (key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey) return "palette";
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "Escape") return "close-menu";
  if (typing) return undefined;
  if (key === "/") return "search";
  return key === "?" ? "keys" : undefined;
}

const KEYS = [
  { keys: ["Ctrl", "K"], meaning: "Search pages, actions, tokens and plants (on a Mac: Cmd K)" },
  { keys: ["/"], meaning: "Search this page" },
  { keys: ["?"], meaning: "Show these shortcuts" },
  { keys: ["Esc"], meaning: "Close the open panel or dialog" },
];

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
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

const FIELD = "input, textarea, select, [contenteditable]";

export function useShortcuts(act: (shortcut: Shortcut) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const typing = target instanceof Element && target.closest(FIELD) !== null;
      const shortcut = shortcutOf({ key, ctrlKey, metaKey, altKey, typing });
      // A dialog has the keyboard to itself.
      if (!shortcut || event.defaultPrevented || document.querySelector("[role=dialog]")) return;
      if (shortcut !== "close-menu") event.preventDefault();
      act(shortcut);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [act]);
}

/** Moves the focus to the page's search field, if there is one. */
export function focusPageSearch(): void {
  document.querySelector<HTMLInputElement>("[data-page-search]")?.focus();
}
