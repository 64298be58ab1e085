import { Group, Kbd, Stack, Text } from "@mantine/core";
import { useWindowEvent } from "@mantine/hooks";
import { useRef } from "react";
import { Dialog } from "../components/dialog.tsx";
import { DEVELOPER, PLANTS, rightOf, SETTINGS } from "../program/pages.ts";
import { useMay } from "../session/session.ts";

/** The pages by the key that opens them after a `g`. */
const PAGES: Readonly<Record<string, `/${string}`>> = {
  p: PLANTS,
  o: "/dashboard",
  t: `${DEVELOPER}/tokens`,
  r: `${DEVELOPER}/requests`,
  w: `${DEVELOPER}/webhooks`,
  e: `${DEVELOPER}/events`,
  s: SETTINGS,
};

/** An act of the frame: it opens the page of an address, or does something itself. */
export type Shortcut = "palette" | "keys" | "close-menu" | `/${string}`;

/** The keys that need nothing but the page. */
const FOCUS: Readonly<Record<string, () => void>> = {
  "/": () => document.querySelector<HTMLInputElement>("[data-page-search]")?.focus(),
  j: () => focusRow(1),
  k: () => focusRow(-1),
};

const FIELD = "input, textarea, select, [contenteditable]";

/** Undefined for keys that belong to the browser or to a text field. `before` is the key that was pressed before. */
function shortcutOf({ key, ctrlKey, metaKey, altKey, target }: KeyboardEvent, before: string) {
  if (key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey) return "palette";
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "Escape") return "close-menu";
  if (target instanceof Element && target.closest(FIELD)) return undefined;
  if (before === "g" && PAGES[key]) return PAGES[key];
  return key === "?" ? "keys" : FOCUS[key];
}

function keysOf(pages: readonly string[]) {
  const [first = "S", ...others] = pages.map((key) => key.toUpperCase());
  const last = others.pop();
  const likewise = last === undefined ? "" : `; likewise ${others.join(", ")} and ${last}`;
  return [
    { keys: ["Ctrl", "K"], meaning: "Search pages, actions, tokens and plants (on a Mac: Cmd K)" },
    { keys: ["/"], meaning: "Search this page" },
    { keys: ["G", first], meaning: `Go to ${first === "P" ? "Plants" : "Settings"}${likewise}` },
    { keys: ["J"], meaning: "Next row; K for the one before" },
    { keys: ["?"], meaning: "Show these shortcuts" },
    { keys: ["Esc"], meaning: "Close the open panel or dialog" },
  ];
}

export function KeysDialog({ onClose }: { readonly onClose: () => void }) {
  const may = useMay();
  const pages = Object.entries(PAGES).flatMap(([key, path]) => (may(rightOf(path)) ? [key] : []));
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <Stack gap="sm">
        {keysOf(pages).map(({ keys, meaning }) => (
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

export function useShortcuts(act: (shortcut: Shortcut) => void): void {
  const before = useRef("");
  useWindowEvent("keydown", (event) => {
    const shortcut = shortcutOf(event, before.current);
    before.current = event.key;
    // A dialog has the keyboard to itself.
    if (!shortcut || event.defaultPrevented || document.querySelector("[role=dialog]")) return;
    if (shortcut !== "close-menu") event.preventDefault();
    if (typeof shortcut === "function") shortcut();
    else act(shortcut);
  });
}

/** Moves the focus by a row of the page's tables. */
function focusRow(step: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>("main .row-link")];
  const at = rows.findIndex((row) => row.closest("tr")?.contains(document.activeElement));
  rows[at < 0 ? 0 : at + step]?.focus();
}
