import { useEffect } from "react";

/** Maps a key to its action. Undefined for keys that belong to the browser or to a text field. */
export type Shortcut = "palette" | "search" | "keys" | "close-menu";

interface PressedKey {
  readonly key: string;
  readonly ctrlKey: boolean;
  readonly metaKey: boolean;
  readonly altKey: boolean;
  /** True while the reader types into a field. */
  readonly typing: boolean;
}

export function shortcutOf({ key, ctrlKey, metaKey, altKey, typing }: PressedKey): Shortcut | undefined {
  if (key.toLowerCase() === "k" && (ctrlKey || metaKey) && !altKey) return "palette";
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "Escape") return "close-menu";
  if (typing) return undefined;
  if (key === "/") return "search";
  return key === "?" ? "keys" : undefined;
}

const FIELD = "input, textarea, select, [contenteditable]";

export function useShortcuts(act: (shortcut: Shortcut) => void): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey, target } = event;
      const typing = target instanceof Element && target.closest(FIELD) !== null;
      const shortcut = shortcutOf({ key, ctrlKey, metaKey, altKey, typing });
      if (!shortcut || event.defaultPrevented || isDialogOpen()) return;
      if (shortcut !== "close-menu") event.preventDefault();
      act(shortcut);
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [act]);
}

/** A dialog has the keyboard to itself. */
function isDialogOpen(): boolean {
  return document.querySelector("[role=dialog]") !== null;
}

/** Moves the focus to the page's search field, if there is one. */
export function focusPageSearch(): void {
  document.querySelector<HTMLInputElement>("[data-page-search]")?.focus();
}
