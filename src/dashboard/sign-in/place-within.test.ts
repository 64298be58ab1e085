import { expect, test } from "bun:test";
import { HOME } from "../home.ts";
import { placeWithin } from "./place-within.ts";

test("one comes back to the page and the state that one was going to", () => {
  expect(placeWithin("/plants?q=fern&order=id")).toBe("/plants?q=fern&order=id");
});

test("an address that leads elsewhere, or back to the sign-in, leads to the overview", () => {
  for (const back of [
    null,
    "",
    "//evil.example",
    "/\\evil.example",
    "https://evil.example",
    "~//evil.example",
    "plants",
  ]) {
    expect(placeWithin(back)).toBe(HOME);
  }
  expect(placeWithin("/sign-in?back=/plants")).toBe(HOME);
});
