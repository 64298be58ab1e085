import { expect, test } from "bun:test";
import { focusedName, held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { deliveryRecord, webhookRecord } from "#test/support/dashboard-records.ts";
import type { Webhook } from "./webhooks.ts";
import WebhooksPage from "./webhooks-page.tsx";

const ROOT = "/v1/webhooks";
const ENDPOINT = `${ROOT}/whk_1`;
const TEST = `POST ${ENDPOINT}/test`;
const CHANGE = `PATCH ${ENDPOINT}`;
const REMOVE = `DELETE ${ENDPOINT}`;
const ROLL = `POST ${ENDPOINT}/secret`;
const FAILED_SINCE = "2026-03-01T00:00:00.000Z";

/** The page of the endpoints with the first one open. */
async function opened(more: Partial<Webhook> = {}, answers: Record<string, unknown> = {}) {
  const webhook = webhookRecord(more);
  const rendered = await renderComponent(<WebhooksPage />, {
    answers: { [`GET ${ROOT}`]: { data: [webhook] }, [`GET ${ENDPOINT}/deliveries`]: { data: [] }, ...answers },
    path: "/dashboard/developer/webhooks",
  });
  await rendered.user.click(await rendered.findByRole("button", { name: webhook.url }));
  const panel = await rendered.findByRole("dialog", { name: webhook.url });
  const press = async (name: string) => rendered.user.click(rendered.within(panel).getByRole("button", { name }));
  return { ...rendered, panel, press };
}

test("what is known of an endpoint stands in its panel, in words", async () => {
  const { panel } = await opened({
    description: "Shop",
    events: ["plant.created", "plant.removed"],
    delivery: "notice",
    lag_seconds: 90,
    secrets: [
      { hint: "whsec_a…b", created_at: FAILED_SINCE },
      { hint: "whsec_c…d", created_at: FAILED_SINCE, expires_at: "2026-03-02T00:00:00.000Z" },
    ],
  });
  const facts = [...panel.querySelectorAll("dl > div")].map((row) => [
    row.querySelector("dt")?.textContent,
    row.querySelector("dd")?.textContent,
  ]);
  expect(facts).toEqual([
    ["State", "Enabled"],
    ["Description", "Shop"],
    ["Events", "plant.created, plant.removed"],
    ["Sends", "Notices"],
    ["Delay", "2 minutes"],
    ["Secrets", "whsec_a…b, whsec_c…d"],
    ["Endpoint id", "whk_1"],
  ]);
});

test("an endpoint that works has no warning, no description where there is none, and no delay", async () => {
  const { panel, queryByRole, queryByText, getByText } = await opened({ description: "" });
  expect([queryByRole("alert"), queryByText("Description")]).toEqual([null, null]);
  getByText("None");
  expect(panel.textContent).toContain("Each event");
});

for (const [state, more, said] of [
  ["failing", { failing_since: FAILED_SINCE }, /is failing.*no event is lost.*First failure: /],
  ["disabled after days of failures", { status: "disabled", reason: "failing" }, /failed for days.*Fix it/],
  ["disabled by its own answer", { status: "disabled", reason: "gone" }, /410 Gone/],
  ["disabled by hand", { status: "disabled", reason: "by_hand" }, /Nothing is sent to this endpoint/],
  ["disabled by an older service, without a reason", { status: "disabled" }, /Nothing is sent to this endpoint/],
] as const satisfies readonly (readonly [string, Partial<Webhook>, RegExp])[]) {
  test(`an endpoint that is ${state} says so above everything else, and what to do`, async () => {
    const { panel, within } = await opened(more);
    expect(within(panel).getByRole("alert").textContent).toMatch(said);
  });
}

test("Enable takes the place of Disable, and continues where the endpoint stopped", async () => {
  const { press, sent, waitFor } = await opened(
    { status: "disabled", reason: "by_hand" },
    { [CHANGE]: webhookRecord() },
  );
  await press("Enable");
  await waitFor(() => expect(sent(CHANGE)).toEqual([{ enabled: true, resume: "where_it_stopped" }]));
});

test("a result of a test is heard by screen readers, and goes when the endpoint is disabled", async () => {
  const { press, panel, within, waitFor } = await opened(
    {},
    { [TEST]: deliveryRecord("1"), [CHANGE]: webhookRecord() },
  );
  await press("Send a test");
  await waitFor(() =>
    expect(within(panel).getByText("The test was answered with 500 after 12 ms.").getAttribute("role")).toBe("status"),
  );
  await press("Disable");
  await waitFor(() => expect(within(panel).queryByText(/The test was answered/)).toBeNull());
});

for (const [error, said] of [
  ["timeout", "timed out"],
  ["dns", "host name not found"],
  ["address_refused", "address not allowed"],
  ["tls", "TLS connection failed"],
  ["connect", "could not connect"],
  ["redirect", "redirected, which is not followed"],
  ["too_many", "too many requests for the receiver"],
  ["something_new", "no answer"],
] as const) {
  test(`a test that failed with ${error} says: ${said}`, async () => {
    const { press, findByText } = await opened({}, { [TEST]: deliveryRecord("1", { http_status: undefined, error }) });
    await press("Send a test");
    await findByText(`The test failed: ${said} after 12 ms.`);
  });
}

test("two clicks on a test send one", async () => {
  const slow = held(deliveryRecord("1"));
  const { user, panel, within, calls, findByText } = await opened({}, { [TEST]: slow.answer });
  await user.dblClick(within(panel).getByRole("button", { name: "Send a test" }));
  slow.release();
  await findByText(/^The test was answered/);
  expect(calls().filter((call) => call === TEST)).toHaveLength(1);
});

for (const [action, title] of [
  ["Edit", "Edit endpoint"],
  ["Roll secret", "Roll the signing secret?"],
  ["Remove", "Remove this endpoint?"],
] as const) {
  for (const way of ["Escape", "Cancel"]) {
    test(`${way} closes the dialog of ${action} alone, and gives the focus back to its button`, async () => {
      const { user, press, calls, findByRole, getByRole, queryByRole, waitFor, within } = await opened();
      await press(action);
      const dialog = await findByRole("dialog", { name: title });
      if (way === "Escape") await user.keyboard("{Escape}");
      else await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
      await waitFor(() => expect(queryByRole("dialog", { name: title })).toBeNull());
      getByRole("dialog", { name: "https://shop.example/plants" });
      await waitFor(() => expect(focusedName()).toBe(action));
      for (const call of [CHANGE, ROLL, REMOVE]) expect(calls()).not.toContain(call);
    });
  }
}

test("Escape closes the menu of a delivery, and leaves the panel open", async () => {
  const list = { data: [deliveryRecord("1")] };
  const { user, findByRole, getByRole, queryByRole, waitFor } = await opened(
    {},
    { [`GET ${ENDPOINT}/deliveries`]: list },
  );
  await user.click(await findByRole("button", { name: "Actions for evt_1, attempt 1" }));
  (await findByRole("menuitem", { name: "Deliver again" })).focus();
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("menu")).toBeNull());
  getByRole("dialog", { name: "https://shop.example/plants" });
});

test("Tab stays within the dialog that is open above the panel", async () => {
  const { user, press, findByRole } = await opened();
  await press("Remove");
  const dialog = await findByRole("dialog", { name: "Remove this endpoint?" });
  for (let stops = 0; stops < 6; stops++) {
    await user.tab();
    expect(dialog.contains(document.activeElement)).toBe(true);
  }
});

test("a removal that is refused says why in its question, which stays, and can be confirmed again", async () => {
  let away = true;
  const { press, user, findByRole, findByText, queryByRole, waitFor, within } = await opened(
    {},
    { [REMOVE]: () => (away ? refusal(50301, "The storage is away") : new Response(null, { status: 204 })) },
  );
  await press("Remove");
  const question = await findByRole("dialog", { name: "Remove this endpoint?" });
  expect(question.textContent).toContain("https://shop.example/plants");
  await user.click(within(question).getByRole("button", { name: "Remove" }));
  await findByText("The storage is away");
  away = false;
  await user.click(within(question).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(queryByRole("dialog")).toBeNull());
  expect(location.search).toBe("");
});

test("a secret that could not be rolled leaves the question with the reason, and no secret in sight", async () => {
  const { press, user, findByRole, findByText, queryByLabelText, within } = await opened({}, { [ROLL]: noAnswer });
  await press("Roll secret");
  const question = await findByRole("dialog", { name: "Roll the signing secret?" });
  await user.click(within(question).getByRole("button", { name: "Roll secret" }));
  await findByText("The secret could not be rolled");
  expect(queryByLabelText("Signing secret")).toBeNull();
});

test("a rolled secret can be saved as a file of the environment, and is nowhere in the page's storage", async () => {
  const { press, user, saved, findByRole, findByDisplayValue, within } = await opened(
    {},
    { [ROLL]: { ...webhookRecord(), secret: "whsec_rolled" } },
  );
  await press("Roll secret");
  const question = await findByRole("dialog", { name: "Roll the signing secret?" });
  await user.click(within(question).getByRole("button", { name: "Roll secret" }));
  await findByDisplayValue("whsec_rolled");
  await user.click(await findByRole("button", { name: "Download .env" }));
  expect(saved[0]?.name).toBe("plantstore-webhook.env");
  expect(await saved[0]?.text()).toBe("PLANTSTORE_WEBHOOK_SECRET=whsec_rolled\n");
  expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("whsec_rolled");
});
