import "#test/support/dom.ts";
import { beforeEach, expect, test } from "bun:test";
import { SESSION } from "#test/support/component.tsx";
import { visit } from "#test/support/dom.ts";
import { chosenStore, forgetStore, inSameStore, nameStore, rememberStore } from "./store.ts";

const OTHER = { id: "acc_2", name: "Rosewood", role: "viewer", test: false } as const;

beforeEach(() => localStorage.clear());

test("the store of the address goes before the one that was chosen last in this browser", () => {
  visit("/dashboard", "127.0.0.1");
  expect(chosenStore()).toBeUndefined();
  rememberStore("acc_2");
  expect(chosenStore()).toBe("acc_2");
  visit("/dashboard?store=acc_3", "127.0.0.1");
  expect(chosenStore()).toBe("acc_3");
  visit("/dashboard", "127.0.0.1");
  forgetStore();
  expect(chosenStore()).toBeUndefined();
});

test("the address names the store for who has several, and keeps all that it had; for who has one it stays as it was", () => {
  visit("/dashboard/plants?q=fern#top", "127.0.0.1");
  nameStore(SESSION);
  expect(location.search).toBe("?q=fern");
  nameStore({ ...SESSION, stores: [...SESSION.stores, OTHER] });
  expect(location.pathname + location.search + location.hash).toBe("/dashboard/plants?q=fern&store=acc_1#top");
});

test("links stay in the store that the address names", () => {
  visit("/dashboard", "127.0.0.1");
  expect(inSameStore("/dashboard/plants?q=a")).toBe("/dashboard/plants?q=a");
  visit("/dashboard?store=acc_2", "127.0.0.1");
  expect(inSameStore("/dashboard/plants?q=a#b")).toBe("/dashboard/plants?q=a&store=acc_2#b");
  expect(inSameStore("/dashboard?store=acc_3")).toBe("/dashboard?store=acc_3");
  expect(inSameStore("/docs")).toBe("/docs?store=acc_2");
  expect(inSameStore("/openapi.json")).toBe("/openapi.json");
});
