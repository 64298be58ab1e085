import { expect, test } from "bun:test";
import { focusedName, refusal, renderComponent } from "#test/support/component.tsx";
import { deliveryRecord, webhookRecord } from "#test/support/dashboard-records.ts";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import { CreateWebhook } from "./create-webhook.tsx";
import { WebhookDetails } from "./webhook-details.tsx";
import type { Webhook } from "./webhooks.ts";
import WebhooksPage from "./webhooks-page.tsx";

const ROOT = "/v1/webhooks";
const LIST = `GET ${ROOT}`;
const DELIVERIES = `GET ${ROOT}/whk_1/deliveries`;
const PATH = "/dashboard/developer/webhooks";

const renderPage = (answers: Record<string, unknown>, path = PATH) =>
  renderComponent(<WebhooksPage />, { answers: { [DELIVERIES]: { data: [] }, ...answers }, path });

async function opened(webhook: Webhook, answers: Record<string, unknown> = {}) {
  const closed: string[] = [];
  const rendered = await renderComponent(<WebhookDetails webhook={webhook} onClose={() => closed.push("closed")} />, {
    answers: { [DELIVERIES]: { data: [] }, ...answers },
  });
  return { ...rendered, closed };
}

test("without an endpoint the page says what one is for, and its button opens the form", async () => {
  const { user, findByRole, getAllByRole, findByLabelText } = await renderPage({ [LIST]: { data: [] } });
  await findByRole("heading", { name: "No endpoints yet" });
  await user.click(getAllByRole("button", { name: "Add endpoint" }).at(-1) as HTMLElement);
  await findByLabelText(/^Address/);
  expect(location.search).toBe("?add=webhook");
});

test("each endpoint says by word if it is enabled, failing, retrying or disabled, and how far it is behind", async () => {
  const { findByRole, getAllByRole } = await renderPage({
    [LIST]: {
      data: [
        webhookRecord({ id: "1", url: "https://a.example" }),
        webhookRecord({
          id: "2",
          url: "https://b.example",
          failing_since: "2026-03-01T00:00:00.000Z",
          lag_seconds: 90,
        }),
        webhookRecord({ id: "3", url: "https://c.example", status: "paused" }),
        webhookRecord({ id: "4", url: "https://d.example", status: "disabled", reason: "gone" }),
      ],
    },
  });
  await findByRole("table", { name: "Endpoints" });
  const rows = getAllByRole("row").map(({ textContent }) => textContent);
  for (const [row, word] of [
    [1, "Enabled"],
    [2, "Failing"],
    [3, "Retrying"],
    [4, "Disabled"],
  ] as const) {
    expect(rows[row]).toContain(word);
  }
  expect(rows[2]).toContain("2 minutes");
});

test("an endpoint opens by its address, is part of the page's address, and closes with the focus back at it", async () => {
  const { user, findByRole, queryByRole, waitFor } = await renderPage({ [LIST]: { data: [webhookRecord()] } });
  await user.click(await findByRole("button", { name: "https://shop.example/plants" }));
  await findByRole("dialog");
  expect(location.search).toBe("?webhook=whk_1");
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  await waitFor(() => expect([focusedName(), location.search]).toEqual(["https://shop.example/plants", ""]));
});

test("a list that takes long shows its shape; one that is refused says why and can be asked for again", async () => {
  const slow = slowRefusal({ data: [webhookRecord()] });
  const rendered = await renderPage({ [LIST]: slow.answer });
  await slow.check(rendered);
  await rendered.findByRole("table", { name: "Endpoints" });
});

test("Cancel discards what was typed for a new endpoint, a reload does not", async () => {
  const { user, findByLabelText, findByRole } = await renderComponent(<CreateWebhook opened onClose={() => {}} />);
  await user.type(await findByLabelText(/^Address/), "https://a.example");
  expect(sessionStorage.getItem("draft:new-webhook")).toContain("https://a.example");
  await user.click(await findByRole("button", { name: "Cancel" }));
  expect(sessionStorage.length).toBe(0);
});

test("notices instead of every event are a choice, and a description goes with it", async () => {
  const add = `POST ${ROOT}`;
  const { user, sent, findByLabelText, findByRole, findByText } = await renderComponent(
    <CreateWebhook opened onClose={() => {}} />,
    { answers: { [add]: { ...webhookRecord(), secret: "whsec_new" } } },
  );
  await user.type(await findByLabelText(/^Address/), "https://a.example");
  await user.type(await findByLabelText("Description"), "Shop");
  await user.click(await findByLabelText("Notices"));
  await user.click(await findByRole("button", { name: "Add endpoint" }));
  await findByText(/Copy it now/);
  expect(sent(add)).toEqual([
    {
      url: "https://a.example",
      description: "Shop",
      events: ["plant.created", "plant.changed", "plant.removed"],
      delivery: "notice",
    },
  ]);
});

test("a signing secret is rolled after a question, and the new one shows once, to be copied before one leaves", async () => {
  const roll = `POST ${ROOT}/whk_1/secret`;
  const { user, calls, findByRole, findByDisplayValue, findByText, within } = await opened(webhookRecord(), {
    [roll]: { ...webhookRecord(), secret: "whsec_rolled" },
  });
  await user.click(await findByRole("button", { name: "Roll secret" }));
  const question = await findByRole("dialog", { name: "Roll the signing secret?" });
  expect(calls()).not.toContain(roll);
  await user.click(within(question).getByRole("button", { name: "Roll secret" }));
  await findByDisplayValue("whsec_rolled");
  await user.keyboard("{Escape}");
  await findByText(/Close anyway/);
});

test("disabling is sent as such, and a refusal says why", async () => {
  const change = `PATCH ${ROOT}/whk_1`;
  const { user, sent, findByRole, findByText } = await opened(webhookRecord(), { [change]: refusal(50301, "Away") });
  await user.click(await findByRole("button", { name: "Disable" }));
  await findByText("Away");
  expect(sent(change)[0]).toEqual({ enabled: false });
}, 60_000);

test("a failed test is gone from view once something else was done", async () => {
  const { user, findByRole, findByText, queryByText, waitFor } = await opened(webhookRecord(), {
    [`POST ${ROOT}/whk_1/test`]: refusal(42901, "Too many tests"),
    [`PATCH ${ROOT}/whk_1`]: webhookRecord({ status: "disabled", reason: "by_hand" }),
  });
  await user.click(await findByRole("button", { name: "Send a test" }));
  await findByText("Too many tests");
  await user.click(await findByRole("button", { name: "Disable" }));
  await waitFor(() => expect(queryByText("Too many tests")).toBeNull());
}, 60_000);

for (const [reason, said] of [
  ["by_hand", /Nothing is sent/],
  ["failing", /failed for days/],
  ["gone", /410/],
] as const) {
  test(`a disabled endpoint says why: ${reason}`, async () => {
    const { findByText } = await opened(webhookRecord({ status: "disabled", reason }));
    await findByText(said);
  });
}

test("deliveries are chosen by their outcome, each told by word with its answer to read", async () => {
  const { user, calls, findByText, findByLabelText, getAllByRole, waitFor } = await opened(webhookRecord(), {
    [DELIVERIES]: ({ url }: { readonly url: URL }) => ({
      data:
        url.searchParams.get("status") === "succeeded"
          ? [deliveryRecord("9", { status: "succeeded", http_status: 204 })]
          : [
              deliveryRecord("8", { response_excerpt: "<h1>Bad gateway</h1>" }),
              deliveryRecord("7", { status: "waiting" }),
            ],
    }),
  });
  await findByText("<h1>Bad gateway</h1>");
  const told = getAllByRole("listitem").map(({ textContent }) => textContent);
  expect(told).toEqual([expect.stringMatching(/^Failed/), expect.stringMatching(/^Retrying/)]);
  await user.click(await findByLabelText("Delivered"));
  await findByText(/evt_9, attempt 1: 204/);
  await waitFor(() => expect(calls().some((call) => call.includes("status=succeeded"))).toBe(true));
});

test("deliveries that are refused say why beside the actions, which stay", async () => {
  const { findByText, getByRole } = await opened(webhookRecord(), {
    [DELIVERIES]: refusal(40404, "There is no such endpoint"),
  });
  await findByText("There is no such endpoint");
  getByRole("button", { name: "Send a test" });
});
