import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { useService } from "../program/page-context.tsx";
import { RelativeTime, relativeTime } from "./relative-time.tsx";

const NOW = Date.parse("2026-03-01T12:00:00Z");
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

test("a time is told in the largest unit that it fills, past and to come", () => {
  expect(relativeTime(NOW - 2 * MINUTE, NOW)).toBe("2 minutes ago");
  expect(relativeTime(NOW - 26 * 60 * MINUTE, NOW)).toBe("yesterday");
  expect(relativeTime(NOW + 12 * DAY - 20_000, NOW)).toBe("in 12 days");
  expect(relativeTime(NOW + 400 * DAY, NOW)).toBe("next year");
  expect(relativeTime(NOW - 59_000, NOW)).toBe("now");
});

test("the exact time is for machines in the element, and for readers on focus", async () => {
  const { user, container, findByText } = await renderComponent(<RelativeTime at="2026-03-01T12:00:00.000Z" />);
  const time = container.querySelector("time");
  expect(time?.getAttribute("datetime")).toBe("2026-03-01T12:00:00.000Z");
  await user.tab();
  expect(document.activeElement === time).toBe(true);
  await findByText(/^1 Mar 2026, \d\d:\d\d:\d\d/);
});

test("in a long table a time is no stop of the keyboard", async () => {
  const { user, container } = await renderComponent(<RelativeTime at={new Date(NOW)} focusable={false} />);
  await user.tab();
  expect(document.activeElement === container.querySelector("time")).toBe(false);
});

test("times are told by the service's clock, since the reader's may be hours off", async () => {
  const later = new Date(Date.now() + 3 * 3_600_000);
  function AfterAnAnswer() {
    useService().clock.learn(new Headers({ Date: later.toUTCString() }));
    return <RelativeTime at={later} />;
  }
  const { container } = await renderComponent(<AfterAnAnswer />);
  expect(container.querySelector("time")?.textContent).toBe("now");
});
