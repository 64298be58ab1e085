import { expect, test } from "bun:test";
import { shortcutOf } from "./shortcuts.tsx";

const plain = { ctrlKey: false, metaKey: false, altKey: false, typing: false };

test("Ctrl K and Cmd K open the command palette, in a field too", () => {
  expect(shortcutOf({ ...plain, key: "k", ctrlKey: true, typing: true })).toBe("palette");
  expect(shortcutOf({ ...plain, key: "K", metaKey: true })).toBe("palette");
  expect(shortcutOf({ ...plain, key: "k", typing: true })).toBeUndefined();
});

test("g and a letter open a page, j and k go from row to row", () => {
  expect(shortcutOf({ ...plain, key: "p", going: true })).toBe("/dashboard/plants");
  expect(shortcutOf({ ...plain, key: "p" })).toBeUndefined();
  expect(shortcutOf({ ...plain, key: "j" })).toBe("next-row");
  expect(shortcutOf({ ...plain, key: "k" })).toBe("row-before");
});

test("a slash and a question mark are shortcuts, but text while somebody types", () => {
  expect(shortcutOf({ ...plain, key: "/" })).toBe("search");
  expect(shortcutOf({ ...plain, key: "?" })).toBe("keys");
  expect(shortcutOf({ ...plain, key: "/", typing: true })).toBeUndefined();
  expect(shortcutOf({ ...plain, key: "?", typing: true })).toBeUndefined();
});

test("keys with Ctrl or Alt stay the browser's own, and Escape closes the menu", () => {
  expect(shortcutOf({ ...plain, key: "/", ctrlKey: true })).toBeUndefined();
  expect(shortcutOf({ ...plain, key: "?", altKey: true })).toBeUndefined();
  expect(shortcutOf({ ...plain, key: "Escape", typing: true })).toBe("close-menu");
});
