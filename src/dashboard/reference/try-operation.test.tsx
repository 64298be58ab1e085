import { expect, test } from "bun:test";
import { focusedName, renderComponent } from "#test/support/component.tsx";
import { publishedOperation as operation } from "#test/support/published-document.ts";
import { TryOperation } from "./try-operation.tsx";

test("an answer shows every digit of an id", async () => {
  const body = '{"id":9007199254740993,"name":"Monstera","created_at":"x","updated_at":"x"}';
  const { user, findByRole, findByLabelText, findByText } = await renderComponent(
    <TryOperation operation={operation("getPlant")} />,
    { answers: { "GET /v1/plants/9007199254740993": body } },
  );
  await user.click(await findByRole("button", { name: /Try it/ }));
  const id = await findByLabelText(/^id/);
  await user.clear(id);
  await user.type(id, "9007199254740993");
  await user.type(await findByLabelText(/^Token/), "plant_mine");
  await user.click(await findByRole("button", { name: "Send GET" }));
  await findByText(/"id": 9007199254740993,/);
});

test("the form has the focus once it is open, and says at the field that a token is missing", async () => {
  const { press, findByText } = await renderComponent(<TryOperation operation={operation("getPlant")} />, {
    known: null,
  });
  await press(/^Try it/);
  expect(focusedName()).toMatch(/^id/);
  await press("Send GET");
  await findByText("Fill in this field.");
});

test("the examples hold the token that was created in this tab", async () => {
  const { page, findByText } = await renderComponent(<TryOperation operation={operation("listPlants")} />);
  await findByText(/Bearer YOUR_TOKEN/);
  page.madeToken.set("plant_made_here");
  await findByText(/Bearer plant_made_here/);
});

test("what reads the token itself asks for one, although a session is there", async () => {
  const { press, findByText, calls } = await renderComponent(<TryOperation operation={operation("getToken")} />);
  await press(/^Try it/);
  await press("Send GET");
  await findByText("Fill in this field.");
  expect(calls().filter((call) => call.includes("/token"))).toEqual([]);
});
