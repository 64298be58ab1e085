import { expect, test } from "bun:test";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import { renderComponent } from "#test/support/component.tsx";
import { usageRecord } from "#test/support/dashboard-records.ts";
import { formatDuration } from "../text/numbers.ts";
import { changeText, UsageFigures } from "./usage-figures.tsx";

const OVERVIEW: Overview = { plants: 1_234_567, creates_today: 20, errors_today: 3, active_tokens: 2, attention: [] };

async function shown(overview: Overview | undefined, usage: Usage | undefined, failed = false) {
  const rendered = await renderComponent(<UsageFigures overview={overview} usage={usage} failed={failed} token="" />);
  const figures = () => rendered.getAllByRole("link").map(({ textContent }) => textContent);
  const href = (name: RegExp) => rendered.getByRole("link", { name }).getAttribute("href");
  return { ...rendered, figures, href };
}

test("each figure has its name, its value, and its change where there was something before", async () => {
  const { figures } = await shown(
    OVERVIEW,
    usageRecord({ before: { ...usageRecord().totals, created: 10, errors: 0 } }),
  );
  expect(figures().map((text) => text?.replace(/\s/g, " "))).toEqual([
    "Plants1,234,567",
    expect.stringMatching(/^Created20\+100 ?% from 10$/),
    "Other requests4no change",
    "Errors3from 0",
    "Response p502 msno change",
    "Response p9930 msno change",
    "Active tokens2",
  ]);
});

test("each figure leads to what it counts, in the same time", async () => {
  const { href } = await shown(OVERVIEW, usageRecord());
  expect([href(/^Plants/), href(/^Created/), href(/^Active tokens/)]).toEqual([
    "/dashboard/plants",
    "/dashboard/plants",
    "/dashboard/developer/tokens",
  ]);
  const time = new URLSearchParams({ from: "2026-03-10T12:00:00.000Z", to: "2026-03-10T13:00:00.000Z" });
  expect(href(/^Other requests/)).toBe(`/dashboard/developer/requests?${time}`);
  expect(href(/^Errors/)).toBe(`/dashboard/developer/requests?${time}&status=4xx%2C5xx`);
});

test("figures on their way keep their places, and the ones that are known show at once", async () => {
  const { figures, container } = await shown(OVERVIEW, undefined);
  expect(figures()).toEqual([
    "Plants1,234,567",
    "Created",
    "Other requests",
    "Errors",
    "Response p50",
    "Response p99",
    "Active tokens2",
  ]);
  expect(container.querySelectorAll(".late")).toHaveLength(5);
});

test("figures that could not be read are dashes, and nothing waits for them", async () => {
  const { figures, container } = await shown(undefined, undefined, true);
  expect(figures()).toEqual(["Plants–", "Created–", "Other requests–", "Errors–", "Active tokens–"]);
  expect(container.querySelector(".late")).toBeNull();
});

test("a time in which nothing was measured has no response times", async () => {
  const { figures } = await shown(
    OVERVIEW,
    usageRecord({ totals: { ...usageRecord().totals, p50_ms: null, p99_ms: null } }),
  );
  expect(figures().some((text) => text?.startsWith("Response"))).toBe(false);
});

test("without a time to compare with there is no change", async () => {
  const { figures } = await shown(OVERVIEW, usageRecord({ before: null }));
  expect(figures()).toContain("Created20");
});

test("a figure says how it has changed since as long a time before", () => {
  expect(changeText(448, 400)).toStartWith("+12");
  expect(changeText(200, 400)).toStartWith("−50");
  expect(changeText(400, 400)).toBe("no change");
  expect(changeText(3, 0)).toBe("from 0");
  expect(changeText(0, 0)).toBeUndefined();
  expect(changeText(1.5, 3, formatDuration)).toEndWith("from 3 ms");
});
