import { afterAll, expect, test } from "bun:test";
import { TestPage } from "../support/browser.ts";
import { eventually } from "../support/eventually.ts";
import { pageToken } from "../support/page-token.ts";
import { startService } from "../support/service.ts";
import { WebhookReceiver } from "../support/webhook-receiver.ts";

const service = await startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.0/8" } });
const opened = await TestPage.signedIn(service);
const { page } = opened;
afterAll(async () => {
  expect(opened.complaints).toEqual([]);
  await opened.close();
  await service.stop();
});

/** Sends a request as a program of the account does, with a token that is made for it. */
async function sendAsProgram(body: string): Promise<Response> {
  await opened.goto("");
  return service.send("POST", "/v1/plants", { as: await pageToken(page), body });
}

test("a refused request is found again by its id in two steps, with the reason, advice and a line that repeats it", async () => {
  const refused = await sendAsProgram('{"id":"seven","name":"Fern"}');
  const requestId = refused.headers.get("request-id") ?? "";
  expect(refused.status).toBe(400);
  await eventually("the log, which is written once a second, has the request", async () => {
    return (await page.request.get(`/dashboard/api/requests/${requestId}`)).ok();
  });
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill(requestId);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname.endsWith(`/developer/requests/${requestId}`));
  const details = page.getByRole("dialog");
  await details.getByText("Error 40003").waitFor();
  await details.getByText("id is a whole number without quotes").waitFor();
  await details.getByText(/--data-binary '\{"id":"seven","name":"Fern"\}'/).waitFor();
});

test("a webhook endpoint is added, tested, fails, and gets again what had failed", async () => {
  const receiver = new WebhookReceiver();
  await opened.goto("/developer/webhooks?add=webhook");
  await page.getByRole("dialog").getByLabel("Address").fill(receiver.url);
  await page.getByRole("dialog").getByRole("button", { name: "Add endpoint" }).click();
  const secret = await opened.keepSecret("signing secret");
  await page.getByRole("button", { name: receiver.url }).click();
  const details = page.getByRole("dialog");
  await details.getByRole("button", { name: "Send a test" }).click();
  await details.getByText(/The test was answered with 204/).waitFor();
  receiver.verify(secret);

  receiver.status = 500;
  const address = page.url();
  await sendAsProgram('{"id":77,"name":"Fern"}');
  await page.goto(address);
  await details
    .getByText(/attempt 1: 500/)
    .first()
    .waitFor();
  receiver.status = 204;
  await details
    .getByRole("button", { name: /^Actions for evt_/ })
    .first()
    .click();
  await page.getByRole("menuitem", { name: "Deliver again" }).click();
  await eventually("the plant is delivered", () =>
    receiver.received.some(({ body }) => JSON.parse(body).data.plant_id === "77"),
  );
  await details.getByText("Delivered").first().waitFor();
  await receiver.stop();
});

test("a token is rolled before its end, from what needs attention to a new term", async () => {
  await sendAsProgram('{"id":78,"name":"Fern"}');
  await pageToken(page, "Greenhouse import", 12);
  await opened.goto("/developer/overview");
  const attention = page.getByRole("region", { name: "Needs attention" });
  await attention.getByText(/Greenhouse import expires in 12 days/).waitFor();
  await attention.getByRole("link", { name: "Roll token" }).click();
  const dialog = page.getByRole("dialog", { name: "Roll Greenhouse import" });
  await dialog.getByText("As before: in 12 days").waitFor({ state: "attached" });
  await dialog.getByLabel("The new token expires").selectOption("In 90 days");
  await dialog.getByRole("button", { name: "Roll token" }).click();
  const secret = await opened.keepSecret("token");
  await page.getByRole("row", { name: /Greenhouse import.*in (90 days|3 months)/ }).waitFor();
  const answer = await service.send("GET", "/v1/plants?limit=1", { as: secret });
  expect(answer.status).toBe(200);
  // The token that is being replaced needs no attention any more.
  await opened.goto("/developer/overview");
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  expect(await attention.getByText("Greenhouse import").count()).toBe(0);
});
