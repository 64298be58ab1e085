import { expect, test } from "bun:test";
import type { Overview } from "#contract/dashboard/overview.ts";
import type { Usage } from "#contract/dashboard/usage.ts";
import { renderComponent } from "#test/support/component.tsx";
import { usageRecord } from "#test/support/dashboard-records.ts";
import { changeText, UsageFigures } from "./usage-figures.tsx";

const OVERVIEW: Overview = {
  plants: 1_234_567,
  creates_today: 20,
  errors_today: 3,
  active_tokens: 2,
  attention: [],
  last_imports: [],
};

const DAY = { range: "day", from: "", to: "", token: "" } as const;

async function shown(overview: Overview | undefined, usage: Usage | undefined, failed = false) {
  const rendered = await renderComponent(
    <UsageFigures overview={overview} usage={usage} failed={failed} choice={DAY} />,
  );
  const figures = () => rendered.getAllByRole("link").map(({ textContent }) => textContent?.replace(/\s/g, " "));
  const href = (name: RegExp) => rendered.getByRole("link", { name }).getAttribute("href");
  return { ...rendered, figures, href };
}

test("plants and requests stand first, the latter with the share that was refused; the others say how they changed", async () => {
  const { figures } = await shown(
    OVERVIEW,
    usageRecord({ before: { ...usageRecord().totals, created: 10, errors: 0 } }),
  );
  expect(figures()).toEqual([
    "Plants1,234,567in all",
    "Requests2412.5% refused",
    "Plants created20100% more than the day before",
    "Refused3yesterday: none",
    "Typical response2 msas the day before",
    "Slowest 1 %30 msas the day before",
    "Active tokens2",
  ]);
});

test("each figure leads to what it counts, in the same time", async () => {
  const { href } = await shown(OVERVIEW, usageRecord());
  expect([href(/^Plants ?1/), href(/^Plants created/), href(/^Active tokens/)]).toEqual([
    "/dashboard/plants",
    "/dashboard/plants",
    "/dashboard/developer/tokens",
  ]);
  const time = new URLSearchParams({ from: "2026-03-10T12:00:00.000Z", to: "2026-03-10T13:00:00.000Z" });
  expect(href(/^Requests/)).toBe(`/dashboard/developer/requests?${time}`);
  expect(href(/^Refused/)).toBe(`/dashboard/developer/requests?${time}&status=4xx%2C5xx`);
});

test("a figure says how it has changed since as long a time before, and nothing without one", async () => {
  expect(changeText(448, 400, "week")).toBe("12% more than the week before");
  expect(changeText(200, 400, "hour")).toBe("50% less than the hour before");
  expect(changeText(0, 0, "day")).toBeUndefined();
  const { figures } = await shown(OVERVIEW, usageRecord({ before: null }));
  expect(figures()).toContain("Plants created20");
});
