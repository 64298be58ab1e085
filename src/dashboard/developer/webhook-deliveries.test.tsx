import { expect, test } from "bun:test";
import { focusedName, refusal, renderComponent } from "#test/support/component.tsx";
import { deliveryRecord, webhookRecord } from "#test/support/dashboard-records.ts";
import WebhooksPage from "./webhooks-page.tsx";

const LIST = "GET /dashboard/api/v1/webhooks/whk_1/deliveries";
const REPLAY = "POST /dashboard/api/v1/webhooks/whk_1/replay";

type Delivery = ReturnType<typeof deliveryRecord>;

/** The panel of an endpoint with these deliveries, the newest first. */
async function renderLog(
  deliveries: readonly Delivery[],
  answers: Record<string, unknown> = {},
  more: Parameters<typeof webhookRecord>[0] = {},
) {
  const rendered = await renderComponent(<WebhooksPage />, {
    answers: {
      [LIST]: { data: deliveries },
      "GET /dashboard/api/v1/webhooks": { data: [webhookRecord(more)] },
      ...answers,
    },
    path: "/dashboard/developer/webhooks?webhook=whk_1",
  });
  if (deliveries[0]) {
    const { event, attempt } = deliveries[0];
    await rendered.findByText(whole(new RegExp(`${event}, attempt ${attempt}`)));
  }
  const openMenu = async (id: string, attempt = 1) =>
    rendered.user.click(await rendered.findByRole("button", { name: `Actions for evt_${id}, attempt ${attempt}` }));
  const repeat = async (id: string) => {
    await openMenu(id);
    await rendered.user.click(await rendered.findByRole("menuitem", { name: "Deliver again" }));
  };
  return { ...rendered, openMenu, repeat };
}

/** Matches the innermost element whose whole text holds the pattern, also where a part of it has an element of its own. */
function whole(pattern: RegExp) {
  const holds = (element: Element | null) => pattern.test(element?.textContent ?? "");
  return (_text: string, element: Element | null) => holds(element) && ![...(element?.children ?? [])].some(holds);
}

test("an answer of the receiver is shown as text, whatever it holds", async () => {
  const page = "<script>alert(1)</script>";
  const { container, findByText } = await renderLog([deliveryRecord("1", { response_excerpt: page })]);
  await findByText(page);
  expect(container.querySelector("script")).toBeNull();
});

test("an outcome that is chosen asks the service for those alone, and All for every one again", async () => {
  const { user, calls, findByLabelText, waitFor } = await renderLog([]);
  const last = () => calls().findLast((call) => call.startsWith(LIST));
  for (const [label, status] of Object.entries({ Failed: "failed", Retrying: "waiting", Delivered: "succeeded" })) {
    await user.click(await findByLabelText(label));
    await waitFor(() => expect(last()).toBe(`${LIST}?limit=50&status=${status}`));
  }
  await user.click(await findByLabelText("All"));
  expect(calls()).toContain(`${LIST}?limit=50`);
});

test("the menu of a delivery leads to its event; Escape closes the menu alone, with the focus back at its button", async () => {
  const { user, openMenu, findByRole, getByRole, queryByRole, waitFor } = await renderLog([deliveryRecord("1")]);
  await openMenu("1");
  const link = await findByRole("menuitem", { name: "Show the event" });
  expect(link.getAttribute("href")).toBe("/dashboard/developer/events?event=evt_1");
  await user.keyboard("{Escape}");
  await waitFor(() => expect([queryByRole("menu"), focusedName()]).toEqual([null, "Actions for evt_1, attempt 1"]));
  getByRole("dialog", { name: "https://shop.example/plants" });
});

test("a test event is in no feed: it has no menu, and is not among what failed; a single failure needs no button for all", async () => {
  const { queryByRole } = await renderLog([
    deliveryRecord("test_1"),
    deliveryRecord("test_2"),
    deliveryRecord("1", { attempt: 2 }),
    deliveryRecord("1", { id: "dlv_0" }),
  ]);
  expect(queryByRole("button", { name: "Actions for evt_test_1, attempt 1" })).toBeNull();
  expect(queryByRole("button", { name: "Deliver all failed" })).toBeNull();
});

test("a delivery that could not be started says why in its own row", async () => {
  const { repeat, findByText, getAllByRole, within } = await renderLog([deliveryRecord("2"), deliveryRecord("1")], {
    [REPLAY]: refusal(40950, "A replay is under way"),
  });
  await repeat("1");
  await findByText("A replay is under way");
  within(getAllByRole("listitem")[1] as HTMLElement).getByText("A replay is under way");
});

test("all failed deliveries are sent again at once; an event that came through later is not among them", async () => {
  const waiting = {
    status: "waiting",
    http_status: undefined,
    error: "connect",
    next_at: "2026-03-01T00:00:00.000Z",
  } as const;
  const { user, sent, findByRole, findByText, getByText } = await renderLog(
    [
      deliveryRecord("3", waiting),
      deliveryRecord("1"),
      deliveryRecord("2", { attempt: 2, status: "succeeded", http_status: 204 }),
      deliveryRecord("2", { id: "dlv_0", ...waiting }),
    ],
    { [REPLAY]: { replay: "rpl_1" } },
  );
  await findByText(whole(/evt_3, attempt 1: could not connect after 12 ms, next attempt soon/));
  expect(getByText(whole(/evt_2, attempt 1/)).textContent).not.toContain("next attempt");
  await user.click(await findByRole("button", { name: "Deliver all failed" }));
  await findByText("They are being delivered again.");
  expect(sent(REPLAY)).toEqual([{ from: "evt_0000000000001", only: "failed" }, { events: ["evt_3"] }]);
});
