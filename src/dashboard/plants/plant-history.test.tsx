import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { plantText } from "#test/support/dashboard-records.ts";
import { PlantPanel } from "./plant-panel.tsx";

const READ = "GET /dashboard/api/v1/plants/7";
const CHANGE = "PATCH /dashboard/api/v1/plants/7";
const ADD = "POST /dashboard/api/v1/plants";
const EVENTS = "GET /dashboard/api/v1/events";
const ADA = { kind: "person", id: "7Xb2", name: "Ada" };
const TILL = { kind: "token", id: "tok_1", name: "Till" };
const PROGRAM = { kind: "program", id: "", name: "" };

const stored = (name: string, tag?: string) => new Response(plantText("7", name, tag), { headers: { ETag: '"7.3"' } });

function event(
  number: number,
  type: string,
  by: object | null,
  name: string,
  more: { tag?: string; previous?: object } = {},
) {
  const { tag, previous } = more;
  const plant = JSON.parse(plantText("7", name, tag));
  const timestamp = `2026-03-10T12:00:0${number}.000Z`;
  return {
    id: `evt_${number}`,
    type: `plant.${type}`,
    timestamp,
    version: "1.0.0",
    data: { plant_id: "7", plant, previous },
    by,
  };
}

const CHANGES = [
  event(3, "changed", ADA, "Moss", { previous: { name: "Fern", tag: "shade" } }),
  event(2, "changed", TILL, "Fern", { tag: "shade", previous: { tag: null } }),
];
const CREATED = event(1, "created", PROGRAM, "Fern");

const page = (data: readonly object[], more = false) => ({ data, next_cursor: "next", has_more: more });

function opened(answers: Record<string, unknown>) {
  return renderComponent(<PlantPanel id="7" onClose={() => {}} />, {
    answers: { [READ]: stored("Moss"), ...answers } as never,
  });
}

test("shows when, who and what, newest first, twenty at a time, with a button for more", async () => {
  const pages = [page(CHANGES, true), page([CREATED])];
  const { findByRole, getAllByRole, user, asked, waitFor, queryByText } = await opened({
    [EVENTS]: () => pages.shift(),
  });
  const list = await findByRole("list", { name: "History" });
  const entries = () => getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(entries()).toEqual([
    expect.stringMatching(/^Changed by Ada, .*NameFern became MossTagshade became none$/),
    expect.stringMatching(/^Changed by the program Till, .*Tagnone became shadeGo back to this version$/),
  ]);
  expect(queryByText(/no longer kept/)).toBeNull();
  await user.click(await findByRole("button", { name: "Show more" }));
  await waitFor(() => expect(list.children).toHaveLength(3));
  expect(entries().at(-1)).toMatch(/^Added by a program, .*NameFernGo back to this version$/);
  expect(
    asked.filter(({ call }) => call.startsWith(EVENTS)).map(({ call }) => new URL(call.slice(4), "http://x").search),
  ).toEqual(["?plant=7&order=-timestamp&limit=20", "?plant=7&order=-timestamp&limit=20&cursor=next"]);
});

test("restores an earlier state over the version that the reader has seen, and over no other", async () => {
  const refused = await opened({ [EVENTS]: page([...CHANGES, CREATED]), [CHANGE]: refusal(41201, "It has changed") });
  await refused.user.click(
    (await refused.findAllByRole("button", { name: "Go back to this version: Fern" }))[1] as HTMLElement,
  );
  await refused.findByText("The plant could not be restored");
  const headers: (string | null)[] = [];
  const { user, asked, findAllByRole, findByDisplayValue } = await opened({
    [EVENTS]: page([...CHANGES, CREATED]),
    [CHANGE]: (sent: { headers: Headers }) => {
      headers.push(sent.headers.get("If-Match"));
      return stored("Fern", "shade");
    },
  });
  await findByDisplayValue("Moss");
  await user.click((await findAllByRole("button", { name: "Go back to this version: Fern" }))[0] as HTMLElement);
  await refused.waitFor(() => expect(headers).toEqual(['"7.3"']));
  expect(asked.filter(({ call }) => call === CHANGE).map(({ body }) => JSON.parse(body))).toEqual([
    { name: "Fern", tag: "shade" },
  ]);
});

test("says that older changes are no longer kept, and that a service keeps none", async () => {
  const cut = await opened({ [EVENTS]: page(CHANGES) });
  await cut.findByText("What happened before is no longer kept.");
  const none = await opened({ [EVENTS]: page([]) });
  await none.findByText("No history of it is kept.");
  const off = await opened({});
  await off.findByText("This service keeps no history.");
});

test("of a plant that was removed leads back to what it was, by adding it again", async () => {
  const removed = event(4, "removed", ADA, "Moss");
  const { user, asked, findByRole, getAllByRole, waitFor } = await opened({
    [READ]: refusal(40403, "There is no plant with the id 7"),
    [EVENTS]: page([removed, ...CHANGES, CREATED]),
    [ADD]: { name: "Moss" },
  });
  const said = await findByRole("alert");
  expect([said.textContent, (await findByRole("dialog", { name: "Moss" })).isConnected]).toEqual([
    expect.stringMatching(/^Removed by Ada, .+ ago$/),
    true,
  ]);
  const restore = await findByRole("button", { name: "Restore: Moss" });
  expect(getAllByRole("button", { name: /^Go back to this version/ })).toHaveLength(2);
  await user.click(restore);
  await waitFor(() =>
    expect(asked.filter(({ call }) => call === ADD).map(({ body }) => body)).toEqual(['{"id":7,"name":"Moss"}']),
  );
});
