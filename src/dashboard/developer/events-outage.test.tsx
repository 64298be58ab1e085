import { expect, test } from "bun:test";
import { focusedName, held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import EventsPage from "./events-page.tsx";

const FEED = "GET /v1/events";
const RECENT = "GET /dashboard/api/events";
const PATH = "/dashboard/developer/events";

function event(number: number, name: string) {
  const timestamp = "2026-03-01T00:00:00.000Z";
  return { id: `evt_${number}`, type: "plant.created", timestamp, plant_id: "9007199254740993", name };
}

const recent = (...data: object[]) => ({ data, next_cursor: null, live_cursor: "live" });
const never = () => new Promise(() => {});

function fed(number: number, name: string) {
  return { ...event(number, name), data: { plant_id: "9007199254740993", plant: { name } } };
}

test("after an outage the feed goes on by itself from where it was, and nothing of the outage stays in view", async () => {
  let gone = false;
  const cursors: (string | null)[] = [];
  const { page, findByRole, queryByRole, queryByText, waitFor } = await renderComponent(<EventsPage />, {
    answers: {
      [RECENT]: recent(event(1, "First")),
      "GET /healthz": () => (gone ? noAnswer() : "ok"),
      [FEED]: ({ url }: { readonly url: URL }) => {
        const cursor = url.searchParams.get("cursor");
        cursors.push(cursor);
        if (cursor === "live") return { data: [fed(2, "Second")], next_cursor: "second" };
        if (cursor === "second" && !gone && cursors.length < 3) {
          gone = true;
          return noAnswer();
        }
        if (gone) return noAnswer();
        return cursor === "second" ? { data: [fed(3, "Third")], next_cursor: "third" } : never();
      },
    },
    path: PATH,
  });
  await findByRole("button", { name: "Second" });
  await waitFor(() => expect(page.service.connection.lost.get()).toBe(true));
  expect(queryByRole("alert")).toBeNull();
  gone = false;
  await page.service.connection.retryNow();
  await findByRole("button", { name: "Third" });
  expect(queryByText(/does not answer/)).toBeNull();
  expect(cursors.slice(0, 2)).toEqual(["live", "second"]);
  expect(cursors.at(-1)).toBe("third");
}, 60_000);

test("an event opens beside the list as programs get it, every digit of it, and can be copied", async () => {
  const { user, findByRole, findByText, queryByRole, waitFor } = await renderComponent(<EventsPage />, {
    answers: {
      [RECENT]: recent(event(1, "First")),
      [FEED]: never,
      [`${FEED}/evt_1`]: '{"id":"evt_1","data":{"plant":{"id":9007199254740993}}}',
    },
    path: PATH,
  });
  await user.click(await findByRole("button", { name: "First" }));
  await findByText(/"id": 9007199254740993/);
  expect(location.search).toBe("?event=evt_1");
  await user.click(await findByRole("button", { name: "Copy the event" }));
  expect(await navigator.clipboard.readText()).toContain("9007199254740993");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() => expect([location.search, focusedName()]).toEqual(["", "First"]));
});

test("an event of the address that is too old says so, and the list stays", async () => {
  const { findByText, findByRole } = await renderComponent(<EventsPage />, {
    answers: {
      [RECENT]: recent(event(1, "First")),
      [FEED]: never,
      [`${FEED}/evt_0`]: refusal(40404, "There is no such event, or no longer"),
    },
    path: `${PATH}?event=evt_0`,
  });
  await findByText("There is no such event, or no longer");
  await findByRole("dialog", { name: "evt_0" });
});

test("an event without a name is told by its plant's id", async () => {
  const { findByRole } = await renderComponent(<EventsPage />, {
    answers: { [RECENT]: recent(event(1, "")), [FEED]: never },
    path: PATH,
  });
  await findByRole("button", { name: "9007199254740993" });
});

test("a list that takes long shows its shape meanwhile", async () => {
  const slow = held(recent());
  const { container, findByRole } = await renderComponent(<EventsPage />, {
    answers: { [RECENT]: slow.answer, [FEED]: never },
    path: PATH,
  });
  expect(container.querySelector(".late")).not.toBeNull();
  slow.release();
  await findByRole("heading", { name: "No events" });
});

test("a type that is chosen stands in the address, and the open event goes on standing there", async () => {
  const { user, findByLabelText, waitFor } = await renderComponent(<EventsPage />, {
    answers: { [RECENT]: recent(), [FEED]: never, [`${FEED}/evt_1`]: "{}" },
    path: `${PATH}?event=evt_1`,
  });
  await user.click(await findByLabelText("Removed"));
  await waitFor(() => expect(location.search).toBe("?event=evt_1&type=plant.removed"));
});
