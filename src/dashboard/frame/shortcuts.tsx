import { Group, Kbd, Stack, Text } from "@mantine/core";
import { useEffect } from "react";
import { Dialog } from "../components/dialog.tsx";
import { DEVELOPER, PLANTS, SETTINGS } from "../program/pages.ts";

/** The pages by the key that opens them after a `g`. */
const PAGES: Readonly<Record<string, string>> = {
  o: "/dashboard",
  p: PLANTS,
  t: `${DEVELOPER}/tokens`,
  r: `${DEVELOPER}/requests`,
  w: `${DEVELOPER}/webhooks`,
  e: `${DEVELOPER}/events`,
  s: SETTINGS,
};

const ACTIONS = { "/": "search", "?": "keys", j: "next-row", k: "row-before" } as const;

/** An action, or the address of a page. */
export type Shortcut = "palette" | "close-menu" | (typeof ACTIONS)[keyof typeof ACTIONS] | `/${string}`;

interface PressedKey extends Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey"> {
  /** True while the reader types into a field. */
  readonly typing: boolean;
  /** True if the key before was a `g`. */
  readonly going?: boolean;
}

/** Maps a key to its action. Undefined for keys that belong to the browser or to a text field. */
function shortcutOf({ key, ctrlKey, metaKey, altKey, typing, going }: PressedKey): Shortcut | undefined {
  if (key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey) return "palette";
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "Escape") return "close-menu";
  if (typing) return undefined;
  if (going && PAGES[key]) return PAGES[key] as Shortcut;
  return ACTIONS[key as keyof typeof ACTIONS];
}

const KEYS = [
  { keys: ["Ctrl", "K"], meaning: "Search pages, actions, tokens and plants (on a Mac: Cmd K)" },
  { keys: ["/"], meaning: "Search this page" },
  { keys: ["G", "P"], meaning: "Go to Plants; likewise O, T, R, W, E and S" },
  { keys: ["J"], meaning: "Next row; K for the one before" },
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

/** The shortcuts that need nothing but the page. */
const FOCUS: Readonly<Record<string, () => void>> = {
  search: focusPageSearch,
  "next-row": () => focusRow(1),
  "row-before": () => focusRow(-1),
};

export function useShortcuts(act: (shortcut: Shortcut) => void): void {
  useEffect(() => {
    let before = "";
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const typing = target instanceof Element && target.closest(FIELD) !== null;
      const shortcut = shortcutOf({ key, ctrlKey, metaKey, altKey, typing, going: before === "g" });
      before = key;
      // A dialog has the keyboard to itself.
      if (!shortcut || event.defaultPrevented || document.querySelector("[role=dialog]")) return;
      if (shortcut !== "close-menu") event.preventDefault();
      const focus = FOCUS[shortcut];
      if (focus) focus();
      else act(shortcut);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [act]);
}

/** Moves the focus by a row of the page's tables. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main .row-link")];
  const at = rows.findIndex((row) => row.closest("tr")?.contains(document.activeElement));
  rows[at < 0 ? 0 : at + step]?.focus();
}

/** Moves the focus to the page's search field, if there is one. */
function focusPageSearch(): void {
  document.querySelector<HTMLInputElement>("[data-page-search]")?.focus();
}
