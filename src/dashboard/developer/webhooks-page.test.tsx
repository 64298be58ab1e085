import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { deliveryRecord, webhookRecord } from "#test/support/dashboard-records.ts";
import { CreateWebhook } from "./create-webhook.tsx";
import { WebhookDetails } from "./webhook-details.tsx";
import WebhooksPage from "./webhooks-page.tsx";

const ROOT = "/v1/webhooks";
const webhook = webhookRecord();

const failed = deliveryRecord("1");

test("an endpoint is added as it was typed, without blanks around its address, and its secret is shown once", async () => {
  const { user, asked, findByLabelText, findByRole, findByText } = await renderComponent(
    <CreateWebhook opened onClose={() => {}} />,
    { answers: { [`POST ${ROOT}`]: { ...webhook, secret: "whsec_new" } } },
  );
  await user.type(await findByLabelText(/^Address/), "https://shop.example/plants");
  await user.click(await findByLabelText("Plant removed"));
  await user.click(await findByRole("button", { name: "Add endpoint" }));
  await findByText(/Copy it now/);
  const sent = asked.find(({ call }) => call === `POST ${ROOT}`);
  expect(JSON.parse(sent?.body ?? "")).toEqual({
    url: "https://shop.example/plants",
    description: "",
    events: ["plant.created", "plant.changed"],
    delivery: "each",
  });
});

test("an address that is refused stays in the form, with the reason; without events nothing can be added", async () => {
  const { user, findByLabelText, findByRole, findByText } = await renderComponent(
    <CreateWebhook opened onClose={() => {}} />,
    { answers: { [`POST ${ROOT}`]: refusal(40003, "It must be a public address") } },
  );
  const address = await findByLabelText(/^Address/);
  await user.type(address, "https://10.0.0.1/");
  const add = await findByRole("button", { name: "Add endpoint" });
  await user.click(add);
  await findByText("It must be a public address");
  expect(address).toHaveProperty("value", "https://10.0.0.1/");
  for (const event of ["created", "changed", "removed"]) await user.click(await findByLabelText(`Plant ${event}`));
  expect(add).toHaveProperty("disabled", true);
});

test("a failed delivery is said with its answer, and sent again on demand", async () => {
  const { user, asked, findByRole, findByText } = await renderComponent(
    <WebhookDetails webhook={webhook} onClose={() => {}} />,
    {
      answers: {
        [`GET ${ROOT}/whk_1/deliveries`]: { data: [failed] },
        [`POST ${ROOT}/whk_1/replay`]: { queued: 1 },
      },
    },
  );
  await findByText(/evt_1, attempt 1: 500 after 12 ms/);
  await user.click(await findByRole("button", { name: "Actions for evt_1, attempt 1" }));
  await user.click(await findByRole("menuitem", { name: "Deliver again" }));
  await findByText("It is being delivered again.");
  expect(asked.find(({ call }) => call === `POST ${ROOT}/whk_1/replay`)?.body).toBe('{"events":["evt_1"]}');
});

test("all failed deliveries are sent again at once; an event that came through later is not among them", async () => {
  const waiting = { ...failed, status: "waiting", http_status: undefined, error: "connect", next_at: failed.at };
  const { user, asked, findByRole, findByText, getByText } = await renderComponent(
    <WebhookDetails webhook={webhook} onClose={() => {}} />,
    {
      answers: {
        [`GET ${ROOT}/whk_1/deliveries`]: {
          data: [
            { ...waiting, id: "dlv_5", event: "evt_3" },
            failed,
            { ...failed, id: "dlv_3", event: "evt_2", attempt: 2, status: "succeeded", http_status: 204 },
            { ...waiting, id: "dlv_2", event: "evt_2" },
          ],
        },
        [`POST ${ROOT}/whk_1/replay`]: { replay: "rpl_1" },
      },
    },
  );
  await findByText(/evt_3, attempt 1: could not connect after 12 ms, next attempt soon/);
  expect(getByText(/evt_2, attempt 1/).textContent).not.toContain("next attempt");
  await user.click(await findByRole("button", { name: "Deliver all failed" }));
  await findByText("They are being delivered again.");
  expect(asked.filter(({ call }) => call === `POST ${ROOT}/whk_1/replay`).map(({ body }) => body)).toEqual([
    '{"from":"evt_0000000000001","only":"failed"}',
    '{"events":["evt_3"]}',
  ]);
});

test("a test says how it was answered, and why there was none", async () => {
  const answers = { [`GET ${ROOT}/whk_1/deliveries`]: { data: [] } };
  const send = `POST ${ROOT}/whk_1/test`;
  const answered = await renderComponent(<WebhookDetails webhook={webhook} onClose={() => {}} />, {
    answers: { ...answers, [send]: { ...failed, http_status: 204 } },
  });
  await answered.user.click(await answered.findByRole("button", { name: "Send a test" }));
  await answered.findByText(/answered with 204 after 12 ms/);
  const refused = await renderComponent(<WebhookDetails webhook={webhook} onClose={() => {}} />, {
    answers: { ...answers, [send]: refusal(42901, "Too many tests") },
  });
  await refused.user.click(await refused.findByRole("button", { name: "Send a test" }));
  await refused.findByText("Too many tests");
});

test("an endpoint that was disabled goes on where it stopped, and is removed only after a question", async () => {
  const disabled = webhookRecord({ status: "disabled", reason: "failing" });
  const closed: string[] = [];
  const { user, asked, findByRole, findByText } = await renderComponent(
    <WebhookDetails webhook={disabled} onClose={() => closed.push("closed")} />,
    {
      answers: {
        [`GET ${ROOT}/whk_1/deliveries`]: { data: [] },
        [`PATCH ${ROOT}/whk_1`]: webhook,
        [`DELETE ${ROOT}/whk_1`]: () => new Response(null, { status: 204 }),
      },
    },
  );
  await findByText(/failed for days and was disabled/);
  await user.click(await findByRole("button", { name: "Enable" }));
  await user.click(await findByRole("button", { name: "Remove" }));
  const question = await findByRole("dialog", { name: "Remove this endpoint?" });
  const calls = () => asked.map(({ call }) => call);
  expect(calls()).not.toContain(`DELETE ${ROOT}/whk_1`);
  await user.click(question.querySelector("button[type=submit]") as Element);
  expect(calls()).toContain(`DELETE ${ROOT}/whk_1`);
  const enabled = asked.find(({ call }) => call === `PATCH ${ROOT}/whk_1`);
  expect(enabled?.body).toBe('{"enabled":true,"resume":"where_it_stopped"}');
});

test("the open endpoint stands in the address", async () => {
  const { user, findByRole } = await renderComponent(<WebhooksPage />, {
    answers: { [`GET ${ROOT}`]: { data: [webhook] }, [`GET ${ROOT}/whk_1/deliveries`]: { data: [] } },
    path: "/dashboard/developer/webhooks",
  });
  await user.click(await findByRole("button", { name: webhook.url }));
  await findByRole("dialog", { name: webhook.url });
  expect(location.search).toBe("?webhook=whk_1");
});
