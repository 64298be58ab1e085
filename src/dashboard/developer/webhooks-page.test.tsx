import { expect, test } from "bun:test";
import { focusedName, held, refusal, renderComponent } from "#test/support/component.tsx";
import { deliveryRecord, webhookRecord } from "#test/support/dashboard-records.ts";
import WebhooksPage from "./webhooks-page.tsx";

const LIST = "GET /dashboard/api/v1/webhooks";
const ADD = "POST /dashboard/api/v1/webhooks";
const ENDPOINT = "/dashboard/api/v1/webhooks/whk_1";
const TEST = `POST ${ENDPOINT}/test`;
const CHANGE = `PATCH ${ENDPOINT}`;
const REMOVE = `DELETE ${ENDPOINT}`;
const ROLL = `POST ${ENDPOINT}/secret`;
const PATH = "/dashboard/developer/webhooks";
const CREATED = { ...webhookRecord(), secret: "whsec_new" };
type Webhook = ReturnType<typeof webhookRecord>;

function renderPage(webhooks: readonly Webhook[], answers: Record<string, unknown> = {}, path = PATH) {
  return renderComponent(<WebhooksPage />, {
    answers: { [LIST]: { data: webhooks }, [`GET ${ENDPOINT}/deliveries`]: { data: [] }, ...answers },
    path,
  });
}

/** The page of the endpoints with one of them open. */
async function opened(more: Partial<Webhook> = {}, answers: Record<string, unknown> = {}) {
  const rendered = await renderPage([webhookRecord(more)], answers);
  await rendered.user.click(await rendered.findByRole("button", { name: "https://shop.example/plants" }));
  const panel = await rendered.findByRole("dialog", { name: "https://shop.example/plants" });
  const press = async (name: string) => rendered.user.click(rendered.within(panel).getByRole("button", { name }));
  return { ...rendered, panel, press };
}

async function adding(answer: unknown = CREATED) {
  const rendered = await renderPage([], { [ADD]: answer }, `${PATH}?add=webhook`);
  const address = await rendered.findByLabelText(/^Address/);
  const add = rendered.within(await rendered.findByRole("dialog")).getByRole("button", { name: "Add endpoint" });
  return { ...rendered, address, add };
}

test("Enable takes the place of Disable, and continues where the endpoint stopped; a refusal says why", async () => {
  const disabled = await opened({ status: "disabled", reason: "by_hand" }, { [CHANGE]: webhookRecord() });
  await disabled.press("Enable");
  const change = { enabled: true, resume: "where_it_stopped" };
  await disabled.waitFor(() => expect(disabled.sent(CHANGE)).toEqual([change]));
  const enabled = await opened({}, { [CHANGE]: refusal(50301, "Away") });
  await enabled.press("Disable");
  await enabled.findByText("Away");
  expect(enabled.sent(CHANGE)[0]).toEqual({ enabled: false });
});

test("a result of a test is heard by screen readers, is sent once for two clicks, and goes when the endpoint is disabled", async () => {
  const slow = held(deliveryRecord("1"));
  const answers = { [TEST]: slow.answer, [CHANGE]: webhookRecord() };
  const { user, press, panel, within, calls, findByText, waitFor } = await opened({}, answers);
  await user.dblClick(within(panel).getByRole("button", { name: "Send a test" }));
  slow.release();
  const said = await findByText("The test was answered with 500 after 12 ms.");
  expect([said.getAttribute("role"), calls().filter((call) => call === TEST).length]).toEqual(["status", 1]);
  await press("Disable");
  await waitFor(() => expect(within(panel).queryByText(/The test was answered/) === null).toBe(true));
});

test("an endpoint is removed after a question that names it, and the focus goes on at the page's title", async () => {
  const listed = [webhookRecord()];
  const answers = {
    [LIST]: () => ({ data: listed }),
    [REMOVE]: () => {
      listed.pop();
      return new Response(null, { status: 204 });
    },
  };
  const { press, user, calls, findByRole, queryByRole, waitFor, within } = await opened({}, answers);
  await press("Remove");
  const question = await findByRole("dialog", { name: "Remove this endpoint?" });
  expect(question.textContent).toContain("https://shop.example/plants");
  await user.click(within(question).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect([queryByRole("dialog"), location.search]).toEqual([null, ""]));
  expect(calls()).toContain(REMOVE);
  await waitFor(() => expect(focusedName()).toBe("Webhooks"));
});

test("a signing secret is rolled after a question, shows once, as a file too, and is in no storage of the browser", async () => {
  const { press, user, saved, calls, findByRole, findByDisplayValue, within } = await opened({}, { [ROLL]: CREATED });
  await press("Roll secret");
  const question = await findByRole("dialog", { name: "Roll the signing secret?" });
  expect(calls()).not.toContain(ROLL);
  await user.click(within(question).getByRole("button", { name: "Roll secret" }));
  await findByDisplayValue("whsec_new");
  await user.click(await findByRole("button", { name: "Download .env" }));
  expect(saved[0]?.name).toBe("plantstore-webhook.env");
  expect(await saved[0]?.text()).toBe("PLANTSTORE_WEBHOOK_SECRET=whsec_new\n");
  expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("whsec_new");
});

test("an endpoint is added as it was chosen, with a secret to copy", async () => {
  const { user, address, add, sent, findByLabelText, findByText, findByRole, queryByRole } = await adding();
  await user.type(address, "https://shop.example/plants");
  await user.type(await findByLabelText("Description"), "Shop");
  await user.click(await findByLabelText("Plant removed"));
  await user.click(await findByLabelText("Notices"));
  await user.click(add);
  await findByText(/Copy it now/);
  const events = ["plant.created", "plant.changed"];
  expect(sent(ADD)).toEqual([{ url: "https://shop.example/plants", description: "Shop", events, delivery: "notice" }]);
  await user.click(await findByRole("button", { name: "Copy the signing secret" }));
  await findByText("Saved. You can close this.");
  await user.click(await findByRole("button", { name: "Done" }));
  expect([queryByRole("dialog"), location.search, sessionStorage.length]).toEqual([null, "", 0]);
});

test("without an event nothing can be added, by Enter neither", async () => {
  const { user, address, add, calls, findByLabelText } = await adding();
  for (const event of ["created", "changed", "removed"]) await user.click(await findByLabelText(`Plant ${event}`));
  expect(add).toHaveProperty("disabled", true);
  await user.type(address, "https://a.example{Enter}");
  expect(calls()).not.toContain(ADD);
});

test("an endpoint is edited from what it is, and only what was changed is sent", async () => {
  const events = ["plant.created", "plant.changed"];
  const { press, user, sent, findByLabelText, findByRole, queryByRole, waitFor } = await opened(
    { events },
    { [CHANGE]: webhookRecord() },
  );
  await press("Edit");
  const url = await findByLabelText(/^Address/);
  expect(url).toHaveProperty("value", "https://shop.example/plants");
  await user.clear(url);
  await user.type(url, "https://shop.example/new");
  await user.click(await findByLabelText("Plant created"));
  await user.click(await findByLabelText("Plant created"));
  await user.click(await findByRole("button", { name: "Save" }));
  await waitFor(() => expect(queryByRole("dialog", { name: "Edit endpoint" }) === null).toBe(true));
  expect(sent(CHANGE)).toEqual([{ url: "https://shop.example/new" }]);
  await press("Edit");
  await user.click(await findByRole("button", { name: "Save" }));
  await waitFor(() => expect(queryByRole("dialog", { name: "Edit endpoint" }) === null).toBe(true));
  expect(sent(CHANGE)).toHaveLength(1);
});
