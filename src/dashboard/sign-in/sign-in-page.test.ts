import { expect, test } from "bun:test";
import { pathWithin } from "./sign-in-page.tsx";

test("a sign-in leads back to the page and the state that was asked for", () => {
  for (const back of ["/dashboard/plants?q=fern&order=id", "/docs", "/dashboard?range=hour"]) {
    expect(pathWithin(back)).toBe(back);
  }
});

test("an address that leads elsewhere, or back to the sign-in, leads to the Overview", () => {
  for (const back of [null, "", "//evil.example", "/\\evil.example", "https://evil.example", "/dashboards", "plants"]) {
    expect(pathWithin(back)).toBe("/dashboard");
  }
  expect(pathWithin("/dashboard/sign-in?back=/dashboard/plants")).toBe("/dashboard");
});
