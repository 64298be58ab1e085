import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import EventsPage from "./events-page.tsx";

function event(number: number, name: string, type = "plant.created") {
  const timestamp = "2026-03-01T00:00:00.000Z";
  return { id: `evt_${number}`, type, timestamp, plant_id: "9007199254740993", name };
}

/** The feed tells of one event at once, and then never answers again. */
function feedOf(id: string, name: string) {
  let asked = 0;
  return ({ url }: { readonly url: URL }) => {
    expect(url.searchParams.get("cursor")).toBe(asked === 0 ? "live" : "next");
    if (asked++ > 0) return new Promise(() => {});
    const data = [{ ...event(0, name), id, data: { plant_id: "9007199254740993", plant: { name } } }];
    return { data, next_cursor: "next" };
  };
}

test("events stand newest first, live ones above them, each once, and older ones follow on demand", async () => {
  const { user, findByRole, getAllByRole, queryByRole } = await renderComponent(<EventsPage />, {
    answers: {
      "GET /v1/events": feedOf("evt_4", "Fourth"),
      "GET /dashboard/api/events": ({ url }: { readonly url: URL }) =>
        url.searchParams.get("cursor") === "older"
          ? { data: [event(1, "First")], next_cursor: null, live_cursor: "live" }
          : { data: [event(3, "Third"), event(2, "Second")], next_cursor: "older", live_cursor: "live" },
    },
    path: "/dashboard/developer/events",
  });
  await findByRole("button", { name: "Fourth" });
  await user.click(await findByRole("button", { name: "Show more" }));
  await findByRole("button", { name: "First" });
  const names = getAllByRole("row").map((row) => row.querySelector(".row-link")?.textContent);
  expect(names).toEqual([undefined, "Fourth", "Third", "Second", "First"]);
  expect(queryByRole("button", { name: "Show more" })).toBeNull();
});

test("an event that the list holds already is not shown again when the feed tells it", async () => {
  const { findByRole, getAllByRole } = await renderComponent(<EventsPage />, {
    answers: {
      "GET /v1/events": feedOf("evt_3", "Third"),
      "GET /dashboard/api/events": { data: [event(3, "Third")], next_cursor: null, live_cursor: "live" },
    },
    path: "/dashboard/developer/events",
  });
  await findByRole("button", { name: "Third" });
  expect(getAllByRole("button", { name: "Third" })).toHaveLength(1);
});

test("the type stands in the address and is asked of both the list and the feed", async () => {
  const { asked, findByText, waitFor } = await renderComponent(<EventsPage />, {
    answers: {
      "GET /v1/events": () => new Promise(() => {}),
      "GET /dashboard/api/events": { data: [], next_cursor: null, live_cursor: "live" },
    },
    path: "/dashboard/developer/events?type=plant.removed",
  });
  await findByText("No events");
  const calls = () => asked.map(({ call }) => call).filter((call) => call.includes("events"));
  await waitFor(() => expect(calls().length).toBe(2));
  for (const call of calls()) expect(call).toContain("type=plant.removed");
});

test("a failure stands above the list and is tried again on demand; without Live the feed is not asked", async () => {
  let refused = true;
  const { user, asked, findByRole, findByText, getByRole } = await renderComponent(<EventsPage />, {
    answers: {
      "GET /v1/events": () => new Promise(() => {}),
      "GET /dashboard/api/events": () =>
        refused
          ? refusal(50301, "The storage is away")
          : { data: [event(1, "First")], next_cursor: null, live_cursor: "live" },
    },
    path: "/dashboard/developer/events",
  });
  await findByText("The storage is away");
  refused = false;
  await user.click(await findByRole("button", { name: "Try again" }));
  await findByRole("button", { name: "First" });
  const fed = () => asked.filter(({ call }) => call.startsWith("GET /v1/events")).length;
  const before = fed();
  await user.click(getByRole("switch", { name: "Live" }));
  await findByRole("button", { name: "First" });
  expect(fed()).toBe(before);
});
