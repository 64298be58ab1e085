import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { plantText } from "#test/support/dashboard-records.ts";
import PlantsPage from "./plants-page.tsx";

const LIST = "GET /dashboard/api/plants/removed";
const ADD = "POST /dashboard/api/v1/plants";
const HUGE = "9007199254740993";

const row = (id: string, name: string, tag: string | null = null) => ({
  event: `evt_${id}`,
  id,
  name,
  tag,
  removed_at: "2026-03-10T12:00:00.000Z",
  by: { kind: "person", id: "7Xb2", name: "Ada" },
});
const removal = (id: string, name: string, tag?: string) =>
  `{"id":"evt_${id}","type":"plant.removed","timestamp":"2026-03-10T12:00:00.000Z","version":"1.0.0","data":{"plant_id":"${id}","plant":${plantText(id, name, tag)}}}`;

async function opened(answers: Record<string, unknown> = {}, pages: object[] = []) {
  const rendered = await renderComponent(<PlantsPage />, {
    path: "/dashboard/plants?show=removed",
    answers: {
      [LIST]: () => pages.shift() ?? { data: [row(HUGE, "Fern", "shade"), row("8", "Moss")], next_cursor: null },
      [`GET /dashboard/api/v1/events/evt_${HUGE}`]: removal(HUGE, "Fern", "shade"),
      "GET /dashboard/api/v1/events/evt_8": removal("8", "Moss"),
      ...answers,
    } as never,
  });
  return { ...rendered, bodies: () => rendered.asked.filter(({ call }) => call === ADD).map(({ body }) => body) };
}

test("restores the selected ones, says what an id is taken by, and leaves those selected", async () => {
  const answer = ({ body }: { body: string }) =>
    body.includes(HUGE) ? refusal(40901, `The id ${HUGE} is taken by a plant with another name`) : { name: "Moss" };
  const pages = [
    { data: [row(HUGE, "Fern", "shade"), row("8", "Moss")], next_cursor: null },
    { data: [row(HUGE, "Fern", "shade")], next_cursor: null },
  ];
  const { user, findByRole, findByText, findByLabelText, bodies } = await opened({ [ADD]: answer }, pages);
  await user.click(await findByRole("button", { name: "Select all 2" }));
  await findByText("2 plants selected");
  await user.click(await findByRole("button", { name: "Restore" }));
  await findByText("1 plant could not be restored");
  await findByText(/is taken by a plant with another name/);
  expect(bodies()).toHaveLength(2);
  await findByText("1 plant selected");
  expect((await findByLabelText("Select Fern")).matches(":checked")).toBe(true);
});

test("restoring one leaves others selected", async () => {
  const { user, findByRole, findByText, findByLabelText } = await opened({ [ADD]: { name: "Moss" } });
  await user.click(await findByLabelText("Select Fern"));
  await user.click(await findByRole("button", { name: "Restore Moss" }));
  await findByText("1 plant restored");
  await findByText("1 plant selected");
});

test("goes on behind a page on which nothing was found, and says where nothing is left", async () => {
  const { user, findByRole, findByText, queryByText } = await opened({}, [
    { data: [], next_cursor: "c" },
    { data: [], next_cursor: null },
  ]);
  const more = await findByRole("button", { name: "Show more" });
  expect(queryByText("Nothing to restore")).toBeNull();
  await user.click(more);
  await findByText("Nothing to restore");
});
