import { expect, test } from "bun:test";
import { held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { deliveryRecord, webhookRecord } from "#test/support/dashboard-records.ts";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import { WebhookDeliveries } from "./webhook-deliveries.tsx";
import type { Webhook } from "./webhooks.ts";

const LIST = "GET /v1/webhooks/whk_1/deliveries";
const REPLAY = "POST /v1/webhooks/whk_1/replay";
const TOMORROW = new Date(Date.now() + 24 * 3_600_000 + 60_000).toISOString();

function renderLog(list: unknown, answers: Record<string, unknown> = {}, more: Partial<Webhook> = {}) {
  return renderComponent(<WebhookDeliveries webhook={webhookRecord(more)} />, {
    answers: { [LIST]: list, ...answers },
  });
}

const menuOf = (id: string, attempt = 1) => ({ name: `Actions for evt_${id}, attempt ${attempt}` });

test("an endpoint that was sent nothing yet says so", async () => {
  const { findByText, queryAllByRole } = await renderLog({ data: [] });
  await findByText("No deliveries.");
  expect(queryAllByRole("listitem")).toHaveLength(0);
});

test("a log that takes long shows its shape; a refused one can be asked for again", async () => {
  const slow = slowRefusal({ data: [deliveryRecord("1")] });
  const rendered = await renderLog(slow.answer);
  await slow.check(rendered);
  await rendered.findByText(/evt_1, attempt 1: 500/);
});

test("each attempt has its outcome by word, its event and the reason why there was no answer", async () => {
  const { findByText, getAllByRole } = await renderLog({
    data: [
      deliveryRecord("3", { status: "succeeded", http_status: 204, ms: 1500 }),
      deliveryRecord("2", { status: "waiting", http_status: undefined, error: "timeout", next_at: TOMORROW }),
      deliveryRecord("1", { type: "plant.removed", attempt: 7 }),
    ],
  });
  await findByText(/evt_3, attempt 1: 204 after 1.5 s/);
  const rows = getAllByRole("listitem").map(({ textContent }) => textContent ?? "");
  expect(rows[0]).toStartWith("Delivered");
  expect(rows[1]).toMatch(/^Retrying.*timed out after 12 ms, next attempt tomorrow/);
  expect(rows[2]).toMatch(/^Failed.*plant\.removed.*evt_1, attempt 7: 500/);
});

test("an answer of the receiver is shown as text, whatever it holds", async () => {
  const page = "<script>alert(1)</script>";
  const { container, findByText } = await renderLog({ data: [deliveryRecord("1", { response_excerpt: page })] });
  await findByText(page);
  expect(container.querySelector("script")).toBeNull();
});

for (const [label, status] of [
  ["Failed", "failed"],
  ["Retrying", "waiting"],
  ["Delivered", "succeeded"],
] as const) {
  test(`"${label}" asks the service for those alone, and All for every one again`, async () => {
    const { user, calls, findByLabelText, findByText, waitFor } = await renderLog({ data: [] });
    await findByText("No deliveries.");
    await user.click(await findByLabelText(label));
    await waitFor(() => expect(calls().at(-1)).toBe(`${LIST}?limit=50&status=${status}`));
    await user.click(await findByLabelText("All"));
    expect(calls().filter((call) => call.startsWith(LIST))[0]).toBe(`${LIST}?limit=50`);
  });
}

test("the menu of a delivery leads to its event; Escape closes it with the focus back at its button", async () => {
  const { user, findByRole, queryByRole, waitFor } = await renderLog({ data: [deliveryRecord("1")] });
  const button = await findByRole("button", menuOf("1"));
  await user.click(button);
  const link = await findByRole("menuitem", { name: "Show the event" });
  expect(link.getAttribute("href")).toBe("/dashboard/developer/events?event=evt_1");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("menu")).toBeNull());
  await waitFor(() => expect(document.activeElement === button).toBe(true));
});

test("only the newest attempt of an event that has not come through can be delivered again", async () => {
  const { user, findByRole, queryByRole } = await renderLog({
    data: [
      deliveryRecord("1", { attempt: 2 }),
      deliveryRecord("1", { id: "dlv_0" }),
      deliveryRecord("2", { status: "succeeded", http_status: 200 }),
    ],
  });
  for (const [button, repeatable] of [
    [menuOf("1", 2), true],
    [menuOf("1", 1), false],
    [menuOf("2"), false],
  ] as const) {
    await user.click(await findByRole("button", button));
    await findByRole("menuitem", { name: "Show the event" });
    expect(queryByRole("menuitem", { name: "Deliver again" }) !== null).toBe(repeatable);
    await user.keyboard("{Escape}");
  }
});

test("a test event is in no feed: it has no menu, and is not among what failed", async () => {
  const { findByText, queryByRole } = await renderLog({
    data: [deliveryRecord("test_1"), deliveryRecord("test_2"), deliveryRecord("1")],
  });
  await findByText(/evt_test_1, attempt 1/);
  expect(queryByRole("button", menuOf("test_1"))).toBeNull();
  expect(queryByRole("button", { name: "Deliver all failed" })).toBeNull();
});

test("an event is delivered again by its menu, and screen readers hear that it is under way", async () => {
  const { user, sent, findByRole, findByText } = await renderLog(
    { data: [deliveryRecord("1")] },
    { [REPLAY]: { replay: "rpl_1" } },
  );
  await user.click(await findByRole("button", menuOf("1")));
  await user.click(await findByRole("menuitem", { name: "Deliver again" }));
  expect((await findByText("It is being delivered again.")).getAttribute("role")).toBe("status");
  expect(sent(REPLAY)).toEqual([{ events: ["evt_1"] }]);
});

test("a delivery that could not be started says why in its own row", async () => {
  const { user, findByRole, findByText, getAllByRole, within } = await renderLog(
    { data: [deliveryRecord("2"), deliveryRecord("1")] },
    { [REPLAY]: refusal(40950, "A replay is under way") },
  );
  await user.click(await findByRole("button", menuOf("1")));
  await user.click(await findByRole("menuitem", { name: "Deliver again" }));
  await findByText("A replay is under way");
  within(getAllByRole("listitem")[1] as HTMLElement).getByText("A replay is under way");
});

test("a single failure needs no button for all of them", async () => {
  const { findByText, queryByRole } = await renderLog({
    data: [deliveryRecord("1", { attempt: 2 }), deliveryRecord("1", { id: "dlv_0" })],
  });
  await findByText(/evt_1, attempt 2/);
  expect(queryByRole("button", { name: "Deliver all failed" })).toBeNull();
});

test("a disabled endpoint offers no deliveries, which it would not be sent", async () => {
  const { findByText, queryByRole } = await renderLog(
    { data: [deliveryRecord("2"), deliveryRecord("1")] },
    {},
    { status: "disabled", reason: "by_hand" },
  );
  await findByText(/evt_2, attempt 1/);
  expect(queryByRole("button", { name: "Deliver all failed" })).toBeNull();
});

test("two clicks on Deliver all failed ask for it once, and a failure says so beside it", async () => {
  const slow = held(undefined);
  const { user, calls, findByRole, findByText } = await renderLog(
    { data: [deliveryRecord("2"), deliveryRecord("1")] },
    { [REPLAY]: () => slow.answer().then(noAnswer) },
  );
  await user.dblClick(await findByRole("button", { name: "Deliver all failed" }));
  slow.release();
  await findByText(/does not answer/);
  expect(calls().filter((call) => call === REPLAY)).toHaveLength(1);
});
