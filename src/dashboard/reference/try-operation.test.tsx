import { expect, test } from "bun:test";
import { focusedName, renderComponent } from "#test/support/component.tsx";
import { publishedOperation as operation } from "#test/support/published-document.ts";
import { TryOperation } from "./try-operation.tsx";

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
