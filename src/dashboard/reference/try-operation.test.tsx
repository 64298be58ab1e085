import { expect, test } from "bun:test";
import { openApiDocument } from "#contract/openapi/document.ts";
import { VERSIONS } from "#contract/version.ts";
import { renderComponent } from "#test/support/component.tsx";
import { type OpenApiDocument, type Operation, operationsOf } from "./openapi.ts";
import { matches } from "./reference-page.tsx";
import { TryOperation } from "./try-operation.tsx";

const document: OpenApiDocument = JSON.parse(JSON.stringify(openApiDocument("http://127.0.0.1:3000", VERSIONS[0]!)));

function operation(id: string): Operation {
  const found = operationsOf(document).find((each) => each.id === id);
  if (!found) throw new Error(`The document has no operation ${id}`);
  return found;
}

test("removing the plant 9007199254740993 asks for that plant, and for no neighbour that a double would make of it", async () => {
  const { user, asked, findByRole, findByLabelText, findByText } = await renderComponent(
    <TryOperation operation={operation("removePlant")} />,
    { answers: { "DELETE /v1/plants/9007199254740993": new Response(null, { status: 204 }) } },
  );
  await user.click(await findByRole("button", { name: /Try it/ }));
  const id = await findByLabelText(/^id/);
  await user.clear(id);
  await user.type(id, "9007199254740993");
  await user.type(await findByLabelText(/^Token/), "plant_mine");
  await user.click(await findByRole("button", { name: "Send DELETE" }));
  await findByText("204");
  expect(asked.map(({ call }) => call)).toEqual(["DELETE /v1/plants/9007199254740993"]);
});

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

test("the examples hold the token that was created in this tab", async () => {
  const { page, findByText } = await renderComponent(<TryOperation operation={operation("listPlants")} />);
  await findByText(/Bearer YOUR_TOKEN/);
  page.madeToken.set("plant_made_here");
  await findByText(/Bearer plant_made_here/);
});

test("the search of the reference finds an operation by any word of it", () => {
  expect(matches(operation("removePlant"), "remove plant")).toBe(true);
  expect(matches(operation("listPlants"), "cursor")).toBe(true);
  expect(matches(operation("removePlant"), "webhook")).toBe(false);
});
