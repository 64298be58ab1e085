import { expect, test } from "bun:test";
import type { RecentEvent } from "#contract/dashboard/events.ts";
import type { Role } from "#contract/dashboard/role.ts";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import ActivityPage from "./activity-page.tsx";
import OverviewPage from "./overview-page.tsx";

const ELLA = { kind: "person", id: "p2", name: "Ella Brandt" } as const;

function event(number: number, more: Partial<RecentEvent> = {}): RecentEvent {
  const timestamp = "2026-03-01T00:00:00.000Z";
  const id = `evt_${number}`;
  return {
    id,
    type: "plant.created",
    timestamp,
    plant_id: String(number),
    name: `Rose ${number}`,
    tag: null,
    by: null,
    ...more,
  };
}

const EVENTS = [
  event(1, { type: "plant.changed", previous: { tag: null }, tag: "indoor", by: ELLA }),
  event(2, {
    type: "plant.changed",
    previous: { name: "Old rose" },
    by: { kind: "person", id: "acc_1", name: "Rosa" },
  }),
  event(3, { type: "plant.removed", by: { kind: "program", id: "", name: "" } }),
];

function answers(plants: number, more: Record<string, unknown> = {}) {
  return {
    "GET /dashboard/api/first-request": { seen: plants > 0, requested: false, plant: null, refused: null },
    "GET /dashboard/api/overview": { plants, creates_today: 0, errors_today: 3, active_tokens: 1, attention: [] },
    "GET /dashboard/api/events": { data: EVENTS, next_cursor: null, live_cursor: "1" },
    "GET /dashboard/api/plants/tags": { tags: [{ tag: "indoor", count: 12 }], other: 0, untagged: 5, about: false },
    "GET /dashboard/api/people": { people: [{ id: "p2", name: "Ella Brandt" }], invitations: [] },
    ...more,
  };
}

function opened(role: Role, plants = 1234) {
  const store = SESSION.store && { ...SESSION.store, role };
  return renderComponent(<OverviewPage />, { answers: answers(plants), known: { ...SESSION, store } });
}

const SENTENCES = ["Ella Brandt tagged Rose 1 as indoor", "You renamed Old rose to Rose 2", "A program removed Rose 3"];

for (const role of ["viewer", "editor", "developer", "owner"] as const) {
  test(`a ${role} sees what happened to the plants and their tags; of requests only who may read them has a line`, async () => {
    const { findByRole, findByText, queryByRole, getAllByRole, waitFor } = await opened(role);
    await findByRole("link", { name: "1,234 plants" });
    await findByText("Without a tag");
    await waitFor(() =>
      expect(
        getAllByRole("listitem")
          .slice(0, 3)
          .map(({ textContent }) => textContent),
      ).toEqual(SENTENCES.map((sentence) => expect.stringContaining(sentence))),
    );
    const mayRead = role === "developer" || role === "owner";
    expect(queryByRole("link", { name: "Requests and errors" }) !== null).toBe(mayRead);
    expect(queryByRole("link", { name: "Add plant" }) !== null).toBe(role !== "viewer");
  });
}

test("an older link to the figures of requests leads to where they are now", async () => {
  const { waitFor } = await renderComponent(<OverviewPage />, { answers: answers(1), path: "/dashboard?range=week" });
  await waitFor(() => expect(location.pathname + location.search).toBe("/dashboard/developer/overview?range=week"));
});

test("an empty store begins with a file, then by hand, then a program for who connects any", async () => {
  for (const [role, ways] of [
    ["owner", ["Import a file", "Add one by hand", "Let a program do it"]],
    ["editor", ["Import a file", "Add one by hand"]],
  ] as const) {
    const { findByRole, getAllByRole } = await opened(role, 0);
    await findByRole("link", { name: "Import a file" });
    expect(getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent)).toEqual([...ways]);
  }
});

test("the activity is told in sentences, and asked of the service by kind and person, which stand in the address", async () => {
  const { user, calls, findByText, findByRole, findByLabelText, waitFor } = await renderComponent(<ActivityPage />, {
    answers: answers(3),
    path: "/dashboard/activity",
  });
  await findByText("A program");
  await findByRole("option", { name: "Ella Brandt" });
  await user.selectOptions(await findByLabelText("Person"), "p2");
  await user.click(await findByLabelText("Changed"));
  await waitFor(() => expect(location.search).toBe("?person=p2&kind=plant.changed"));
  await waitFor(() => expect(calls()).toContain("GET /dashboard/api/events?type=plant.changed&person=p2"));
});
