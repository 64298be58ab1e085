import { expect, test } from "bun:test";
import { refusal, renderComponent } from "#test/support/component.tsx";
import { PlantPanel } from "./plant-panel.tsx";

const AT = "2026-03-01T00:00:00.000Z";
const PLANT = "/v1/plants/9007199254740993";

function stored(name: string, etag: string): Response {
  const body = `{"id":9007199254740993,"name":${JSON.stringify(name)},"tag":"indoor","created_at":"${AT}","updated_at":"${AT}"}`;
  return new Response(body, { headers: { "Content-Type": "application/json", ETag: etag } });
}

const editor = <PlantPanel id="9007199254740993" adding={false} onClose={() => {}} />;

test("only what was changed is sent", async () => {
  const { user, asked, findByLabelText, findByRole, waitFor } = await renderComponent(editor, {
    answers: { [`GET ${PLANT}`]: stored("Fern", '"1"'), [`PATCH ${PLANT}`]: stored("Ferns", '"2"') },
  });
  const save = await findByRole("button", { name: "Save" });
  expect(save).toHaveProperty("disabled", true);
  await user.type(await findByLabelText("Name"), "s");
  await user.click(save);
  await waitFor(() => expect(asked.find(({ call }) => call === `PATCH ${PLANT}`)?.body).toBe('{"name":"Ferns"}'));
});

test("an emptied tag is removed, which is not the empty tag", async () => {
  const { user, asked, findByLabelText, findByRole, waitFor } = await renderComponent(editor, {
    answers: { [`GET ${PLANT}`]: stored("Fern", '"1"'), [`PATCH ${PLANT}`]: stored("Fern", '"2"') },
  });
  await user.type(await findByLabelText("Tag"), "{Backspace}".repeat("indoor".length));
  const save = await findByRole("button", { name: "Save" });
  await waitFor(() => expect(save).toHaveProperty("disabled", false));
  await user.click(save);
  await waitFor(() => expect(asked.find(({ call }) => call === `PATCH ${PLANT}`)?.body).toBe('{"tag":null}'));
});

test("a plant that somebody else changed meanwhile is not overwritten: the text stays, and the current plant can be loaded", async () => {
  const { user, findByLabelText, findByRole, findByText } = await renderComponent(editor, {
    answers: { [`GET ${PLANT}`]: stored("Fern", '"1"'), [`PATCH ${PLANT}`]: refusal(41201, "If-Match does not hold") },
  });
  await user.type(await findByLabelText("Name"), " of mine");
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("Somebody else changed this plant");
  await findByRole("button", { name: "Load the current plant" });
  expect(document.body.textContent).not.toContain("If-Match");
  expect(await findByLabelText("Name")).toHaveProperty("value", "Fern of mine");
});

test("an id that is taken keeps the form and says so; a blank name is questioned first", async () => {
  const { user, asked, findByLabelText, findByRole, findByText } = await renderComponent(
    <PlantPanel id={undefined} adding onClose={() => {}} />,
    { answers: { "POST /v1/plants": refusal(40901, "The id 7 is taken") } },
  );
  await user.type(await findByLabelText(/^Id/), "7");
  await user.click(await findByRole("button", { name: "Add plant" }));
  await findByText(/The name is blank/);
  expect(asked.map(({ call }) => call)).not.toContain("POST /v1/plants");
  await user.type(await findByLabelText("Name"), "Fern");
  await user.click(await findByRole("button", { name: "Add plant" }));
  await findByText("The id 7 is taken");
  expect(asked.find(({ call }) => call === "POST /v1/plants")?.body).toBe('{"id":7,"name":"Fern"}');
  expect(await findByLabelText("Name")).toHaveProperty("value", "Fern");
});
