import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { webhookRecord } from "#test/support/dashboard-records.ts";
import { EditWebhook } from "./edit-webhook.tsx";

const PATCH = "PATCH /v1/webhooks/whk_1";

async function opened(answer: unknown = webhookRecord()) {
  const closed: string[] = [];
  const rendered = await renderComponent(
    <EditWebhook webhook={webhookRecord()} onClose={() => closed.push("closed")} />,
    { answers: { [PATCH]: answer } },
  );
  return { ...rendered, closed };
}

test("an endpoint is edited from what it is, and only what was changed is sent", async () => {
  const { user, sent, closed, findByLabelText, findByRole, waitFor } = await opened();
  const url = (await findByLabelText(/^Address/)) as HTMLInputElement;
  expect(url.value).toBe("https://shop.example/plants");
  await user.clear(url);
  await user.type(url, " https://shop.example/new ");
  await user.click(await findByLabelText("Plant removed"));
  await user.click(await findByRole("button", { name: "Save" }));
  await waitFor(() => expect(closed).toEqual(["closed"]));
  expect(sent(PATCH)).toEqual([{ url: "https://shop.example/new", events: ["plant.created", "plant.removed"] }]);
  expect(sessionStorage.length).toBe(0);
});

test("without a change nothing is sent, and without an event nothing can be", async () => {
  const { user, sent, closed, findByLabelText, findByRole } = await opened();
  const save = (await findByRole("button", { name: "Save" })) as HTMLButtonElement;
  await user.click(await findByLabelText("Plant created"));
  expect(save.disabled).toBe(true);
  await user.click(await findByLabelText("Plant created"));
  await user.click(save);
  expect(closed).toEqual(["closed"]);
  expect(sent(PATCH)).toEqual([]);
});

test("a refusal stands in the dialog, and what was typed stays", async () => {
  const { user, closed, findByLabelText, findByRole, findByText } = await opened(
    refusal(40003, 'The member "url" must be an https address'),
  );
  const description = (await findByLabelText("Description")) as HTMLInputElement;
  await user.type(description, " in town");
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("The endpoint could not be changed");
  expect([description.value, closed.length]).toEqual(["Shop in town", 0]);
});

test("Escape changes nothing and keeps what was typed, and Cancel discards it", async () => {
  const { user, sent, closed, findByLabelText, findByRole } = await opened();
  await user.type(await findByLabelText("Description"), " in town");
  await user.keyboard("{Escape}");
  expect(closed).toEqual(["closed"]);
  expect(sessionStorage.getItem("draft:webhook:whk_1")).toBe('{"description":"Shop in town"}');
  await user.click(await findByRole("button", { name: "Cancel" }));
  expect([closed.length, sessionStorage.length]).toEqual([2, 0]);
  expect(sent(PATCH)).toEqual([]);
});
