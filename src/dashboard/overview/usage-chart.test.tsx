import { expect, test } from "bun:test";
import { fireEvent } from "@testing-library/react";
import type { UsageBucket } from "#contract/dashboard/usage.ts";
import { renderComponent } from "#test/support/component.tsx";
import { layOut } from "#test/support/dom.ts";
import { formatDuration } from "../text/numbers.ts";
import { type ChartSeries, labelPlace, UsageChart } from "./usage-chart.tsx";

/** The axis of values takes 56 pixels, so that each of four buckets is 100 pixels wide. */
const WIDTH = 456;
const HEIGHT = 132;
const PLOT_HEIGHT = 100;
const FIRST_BUCKET = 56;

const SERIES: readonly ChartSeries[] = [
  { label: "Created", color: "green", of: ({ created }) => created },
  { label: "Other", color: "gray", of: ({ other }) => other },
];
const LATENCY: readonly ChartSeries[] = [{ label: "p50", color: "green", of: ({ p50_ms }) => p50_ms }];

function bucket(hour: number, more: Partial<UsageBucket> = {}): UsageBucket {
  const at = (hours: number) => new Date(2026, 2, 10, hours).toISOString();
  return {
    start: at(hour),
    end: at(hour + 1),
    requests: 0,
    created: 0,
    other: 0,
    errors: 0,
    p50_ms: null,
    p99_ms: null,
    ...more,
  };
}

const BUCKETS = [bucket(9, { created: 20, other: 10 }), bucket(10), bucket(11, { other: 1 }), bucket(12)];

async function drawn(more: Partial<Parameters<typeof UsageChart>[0]> = {}) {
  layOut(WIDTH, HEIGHT);
  const opened: (string | undefined)[] = [];
  const rendered = await renderComponent(
    <UsageChart
      title="Requests: 20 created, 11 other"
      buckets={BUCKETS}
      series={SERIES}
      kind="bars"
      height={HEIGHT}
      onOpen={({ start }) => opened.push(start)}
      {...more}
    />,
  );
  const image = await rendered.findByRole("img");
  const chart = image.parentElement as HTMLElement;
  const point = (x: number) => fireEvent.mouseMove(chart, { clientX: x, clientY: 50 });
  const click = (x: number) => fireEvent.click(chart, { clientX: x, clientY: 50 });
  return { ...rendered, image, chart, opened, point, click };
}

const number = (element: Element | undefined, name: string) => Number(element?.getAttribute(name));

test("bars stand on each other, as high as their values, and a bucket without requests has none", async () => {
  const { image } = await drawn();
  const [created, other, single, ...more] = [...image.querySelectorAll("rect")];
  expect(more).toEqual([]);
  // The top of the axis is 30: two thirds of the height for 20, one third for 10.
  expect(number(created, "height")).toBeCloseTo((PLOT_HEIGHT * 20) / 30);
  expect(number(other, "height")).toBeCloseTo((PLOT_HEIGHT * 10) / 30);
  expect(number(other, "y") + number(other, "height")).toBeCloseTo(number(created, "y"));
  expect(number(single, "x")).toBeGreaterThan(FIRST_BUCKET + 200);
});

test("a single request beside millions is two pixels high, and so can be seen", async () => {
  const { image } = await drawn({ buckets: [bucket(9, { created: 5_000_000 }), bucket(10, { other: 1 })] });
  const heights = [...image.querySelectorAll("rect")].map((bar) => number(bar, "height"));
  expect(heights[1]).toBe(2);
  expect(heights[0]).toBeGreaterThan(50);
});

test("the card of the bucket under the pointer has its time and each value, and goes with the pointer", async () => {
  const { chart, point } = await drawn();
  const card = () => chart.querySelector(".chart-card")?.textContent;
  point(FIRST_BUCKET + 10);
  expect(card()).toMatch(/10 Mar, 09:00.*Created 20.*Other 10/);
  point(FIRST_BUCKET + 210);
  expect(card()).toMatch(/10 Mar, 11:00.*Created 0.*Other 1/);
  point(20);
  expect(card()).toBeUndefined();
  point(FIRST_BUCKET + 10);
  fireEvent.mouseLeave(chart);
  expect(card()).toBeUndefined();
});

test("a click opens the bucket under it, and one beside the bars opens nothing", async () => {
  const { opened, click } = await drawn();
  for (const x of [FIRST_BUCKET, FIRST_BUCKET + 399, 10, WIDTH]) click(x);
  expect(opened).toEqual([BUCKETS[0]?.start, BUCKETS[3]?.start]);
});

test("a time that was not measured is a gap in the line, a single one a short dash, and none a dash in the card", async () => {
  const buckets = [1, 2, null, 4].map((p50_ms, hour) => bucket(hour, { p50_ms }));
  const { image, chart, point } = await drawn({ kind: "lines", series: LATENCY, buckets, format: formatDuration });
  expect(image.querySelectorAll("path")).toHaveLength(1);
  expect(image.querySelector("path")?.getAttribute("d")).toBe("M106.0 83.0L206.0 58.0M402.0 8.0h8");
  point(FIRST_BUCKET + 210);
  expect(chart.querySelector(".chart-card")?.textContent).toContain("p50 –");
});

test("the label of the last bucket ends at the edge, which would cut it", () => {
  expect(labelPlace(300, 320)).toEqual({ x: 320, textAnchor: "end" });
  expect(labelPlace(200, 320)).toEqual({ x: 200, textAnchor: "start" });
});
