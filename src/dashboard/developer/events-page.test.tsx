import { expect, test } from "bun:test";
import { focusedName, refusal, renderComponent, renewalOf } from "#test/support/component.tsx";
import EventsPage from "./events-page.tsx";

const LIST = "GET /dashboard/api/events";
const PATH = "/dashboard/developer/events";

function event(number: number, name: string, type = "plant.created") {
  const timestamp = "2026-03-01T00:00:00.000Z";
  return { id: `evt_${number}`, type, timestamp, plant_id: "9007199254740993", name };
}

function renderEvents(answers: Record<string, unknown>, path = PATH) {
  return renderComponent(<EventsPage />, { answers, path });
}

const recent = (...data: object[]) => ({ data, next_cursor: null });

test("events stand newest first with their types, and the list is live unless that is turned off", async () => {
  const { user, page, findByRole, getAllByRole, getByRole } = await renderEvents({
    [LIST]: recent(event(2, "Second"), event(1, "First", "plant.removed")),
  });
  await findByRole("button", { name: "Second" });
  const [, , second, first] = getAllByRole("row").map(({ textContent }) => textContent);
  expect([second, first]).toEqual([expect.stringContaining("Second"), expect.stringMatching(/plant\.removed.*First/)]);
  expect(renewalOf(page, "/events")).toBe(2000);
  await user.click(getByRole("switch", { name: "Live" }));
  expect(renewalOf(page, "/events")).toBe(false);
});

test("the type stands in the address beside the open event, and is asked of the service", async () => {
  const { user, calls, findByLabelText, findByText, waitFor } = await renderEvents(
    { [LIST]: recent(), "GET /dashboard/api/v1/events/evt_1": refusal(40404, "There is no such event, or no longer") },
    `${PATH}?event=evt_1`,
  );
  await findByText("No events");
  await findByText("There is no such event, or no longer");
  await user.click(await findByLabelText("Removed"));
  await waitFor(() => expect(location.search).toBe("?event=evt_1&type=plant.removed"));
  await waitFor(() => expect(calls()).toContain(`${LIST}?limit=50&type=plant.removed`));
});

test("an event opens beside the list as programs get it, every digit of it, and can be copied", async () => {
  const at = "2026-03-01T00:00:00Z";
  const plant = `{"id":9007199254740993,"name":"First","created_at":"${at}","updated_at":"${at}"}`;
  const data = `{"plant_id":"9007199254740993","plant":${plant}}`;
  const json = `{"id":"evt_1","type":"plant.created","timestamp":"${at}","version":"1.0.0","data":${data}}`;
  const { user, findByRole, findByText, waitFor } = await renderEvents({
    [LIST]: recent(event(1, "First")),
    "GET /dashboard/api/v1/events/evt_1": json,
  });
  await user.click(await findByRole("button", { name: "First" }));
  await findByText(/"id": 9007199254740993/);
  expect(location.search).toBe("?event=evt_1");
  await user.click(await findByRole("button", { name: "Copy the event" }));
  expect(await navigator.clipboard.readText()).toContain('"id": 9007199254740993');
  await user.keyboard("{Escape}");
  await waitFor(() => expect([location.search, focusedName()]).toEqual(["", "First"]));
});
