import { expect, test } from "bun:test";
import { focusedName, held, noAnswer, renderComponent } from "#test/support/component.tsx";
import { webhookRecord } from "#test/support/dashboard-records.ts";
import { CreateWebhook } from "./create-webhook.tsx";

const ADD = "POST /v1/webhooks";
const CREATED = { ...webhookRecord(), secret: "whsec_new" };

async function opened(answer: unknown = CREATED) {
  const closed: string[] = [];
  const rendered = await renderComponent(<CreateWebhook opened onClose={() => closed.push("closed")} />, {
    answers: { [ADD]: answer },
  });
  const address = await rendered.findByLabelText(/^Address/);
  const add = await rendered.findByRole("button", { name: "Add endpoint" });
  return { ...rendered, address, add, closed };
}

test("the address has the focus, and every event is chosen to begin with", async () => {
  const { getAllByRole, waitFor } = await opened();
  await waitFor(() => expect(focusedName()).toBe("Address"));
  expect(getAllByRole("checkbox").map((box) => Reflect.get(box, "checked"))).toEqual([true, true, true]);
});

test("Tab goes through the fields in the order in which they are read", async () => {
  const { user, waitFor } = await opened();
  await waitFor(() => expect(focusedName()).toBe("Address"));
  const stops = [];
  for (let stop = 0; stop < 7; stop++) {
    await user.tab();
    stops.push(focusedName());
  }
  expect(stops).toEqual([
    "Description",
    "Plant created",
    "Plant changed",
    "Plant removed",
    "Each event",
    "Cancel",
    "Add endpoint",
  ]);
});

test("without an event nothing can be added, by Enter neither", async () => {
  const { user, address, add, calls, findByLabelText } = await opened();
  for (const event of ["created", "changed", "removed"]) await user.click(await findByLabelText(`Plant ${event}`));
  expect(add).toHaveProperty("disabled", true);
  await user.type(address, "https://a.example{Enter}");
  expect(calls()).not.toContain(ADD);
});

test("without an answer what was chosen stays, in this tab also after a reload, and can be sent again", async () => {
  let gone = true;
  const { user, address, add, sent, findByLabelText, findByText } = await opened(() => (gone ? noAnswer() : CREATED));
  await user.type(address, "https://a.example");
  await user.click(await findByLabelText("Plant changed"));
  await user.click(add);
  await findByText("The endpoint could not be added");
  expect(JSON.parse(sessionStorage.getItem("draft:new-webhook") ?? "{}")).toMatchObject({
    url: "https://a.example",
    events: ["plant.created", "plant.removed"],
  });
  gone = false;
  await user.click(add);
  await findByText(/Copy it now/);
  expect(sent(ADD)).toHaveLength(2);
});

test("two presses of Enter add one endpoint", async () => {
  const slow = held(CREATED);
  const { user, address, calls, findByText } = await opened(slow.answer);
  await user.type(address, "https://a.example{Enter}{Enter}");
  slow.release();
  await findByText(/Copy it now/);
  expect(calls().filter((call) => call === ADD)).toHaveLength(1);
});

test("the secret is asked about before the dialog closes, and once it was copied closes without a trace", async () => {
  const { user, address, add, closed, findByRole, findByText, findByDisplayValue } = await opened();
  await user.type(address, "https://a.example");
  await user.click(add);
  await findByDisplayValue("whsec_new");
  await user.keyboard("{Escape}");
  await findByText(/You have not copied the signing secret yet/);
  expect(closed).toEqual([]);
  await user.click(await findByRole("button", { name: "Show it again" }));
  await user.click(await findByRole("button", { name: "Copy the signing secret" }));
  expect(await navigator.clipboard.readText()).toBe("whsec_new");
  await user.click(await findByRole("button", { name: "Done" }));
  expect([closed, sessionStorage.length]).toEqual([["closed"], 0]);
});
