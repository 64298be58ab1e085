import { expect, test } from "bun:test";
import { focusedName, held, refusal, renderComponent } from "#test/support/component.tsx";
import { PlantAdder } from "./plant-adder.tsx";

const ADD = "POST /v1/plants";

const ADDED = { name: "Fern" };

async function opened(answer: unknown = ADDED, answers: Record<string, unknown> = {}) {
  const closed: string[] = [];
  const rendered = await renderComponent(<PlantAdder onClose={() => closed.push("closed")} />, {
    answers: { [ADD]: answer, ...answers },
  });
  const field = (name: RegExp) => rendered.findByLabelText(name);
  const fill = async (id: string, name: string, tag = "") => {
    await rendered.user.type(await field(/^Id/), id);
    if (name) await rendered.user.type(await field(/^Name/), name);
    if (tag) await rendered.user.type(await field(/^Tag/), tag);
  };
  const submit = async (label = "Add plant") =>
    rendered.user.click(await rendered.findByRole("button", { name: label }));
  return { ...rendered, closed, field, fill, submit };
}

test("a plant is sent with every digit of its id, and with a tag only if there is one", async () => {
  const { asked, fill, submit, findByText } = await opened();
  await fill(" -9223372036854775808 ", "Fern");
  await submit();
  await findByText("Plant -9223372036854775808 was added");
  await fill("8", "Oak", "outdoor");
  await submit();
  await findByText("Plant 8 was added");
  expect(asked.filter(({ call }) => call === ADD).map(({ body }) => body)).toEqual([
    '{"id":-9223372036854775808,"name":"Fern"}',
    '{"id":8,"name":"Oak","tag":"outdoor"}',
  ]);
});

test("what was typed is there again after a reload, and gone once it was added", async () => {
  const { fill, submit, findByText } = await opened();
  await fill("7", "Fern", "indoor");
  expect(JSON.parse(sessionStorage.getItem("draft:new-plant") ?? "{}")).toEqual({
    id: "7",
    name: "Fern",
    tag: "indoor",
  });
  await submit();
  await findByText("Plant 7 was added");
  expect(sessionStorage.getItem("draft:new-plant")).toBeNull();
});

test("a blank name is questioned once, and answering it adds the plant as it is", async () => {
  const { sent, fill, submit, findByText, queryByText, waitFor } = await opened();
  await fill("7", "");
  await submit();
  await findByText(/The name is blank/);
  expect(sent(ADD)).toEqual([]);
  await submit("Add with a blank name");
  await findByText("Plant 7 was added");
  await waitFor(() => expect(queryByText(/The name is blank/)).toBeNull());
  expect(sent(ADD)).toEqual([{ id: 7, name: "" }]);
});

test("a name that is typed after the question takes it away", async () => {
  const { user, field, fill, submit, findByText, queryByText, findByRole } = await opened();
  await fill("7", "");
  await submit();
  await findByText(/The name is blank/);
  await user.type(await field(/^Name/), "Fern");
  expect(queryByText(/The name is blank/)).toBeNull();
  await findByRole("button", { name: "Add plant" });
});

test("the result is in a region that screen readers listen to from the start", async () => {
  const { container, fill, submit, findByText } = await opened();
  const region = container.querySelector("form [role=status]") as HTMLElement;
  expect(region.textContent).toBe("");
  await fill("7", "Fern");
  await submit();
  expect(region.contains(await findByText("Plant 7 was added"))).toBe(true);
});

test("an earlier success does not stand above a later refusal", async () => {
  let taken = false;
  const { fill, submit, findByText, queryByText } = await opened(() =>
    taken ? refusal(40901, "The id is taken") : ADDED,
  );
  await fill("7", "Fern");
  await submit();
  await findByText("Plant 7 was added");
  taken = true;
  await fill("8", "Oak");
  await submit();
  await findByText("The id is taken");
  expect(queryByText("Plant 7 was added")).toBeNull();
});

test("an id that is corrected loses its complaint with the next try", async () => {
  const { user, field, fill, submit, findByText, queryByText, waitFor } = await opened();
  await fill("seven", "Fern");
  await submit();
  await findByText(/A whole number from/);
  await waitFor(() => expect(focusedName()).toMatch(/^Id/));
  await user.clear(await field(/^Id/));
  await user.type(await field(/^Id/), "7");
  await submit();
  await findByText("Plant 7 was added");
  expect(queryByText(/A whole number from/)).toBeNull();
});

test("two clicks add one plant", async () => {
  const slow = held(ADDED);
  const { user, calls, fill, findByRole, findByText } = await opened(slow.answer);
  await fill("7", "Fern");
  await user.dblClick(await findByRole("button", { name: "Add plant" }));
  slow.release();
  await findByText("Plant 7 was added");
  expect(calls().filter((call) => call === ADD)).toHaveLength(1);
});

test("a plant waits for the removal of one with its id, which would otherwise remove it again", async () => {
  const { page, calls, fill, submit, findByText } = await opened(ADDED, {
    "DELETE /v1/plants/7": () => new Response(null, { status: 204 }),
  });
  await page.removals.remove(["7"]);
  await fill("7", "Fern");
  await submit();
  await findByText("Plant 7 was added");
  const writes = calls().filter((call) => /^(POST|DELETE) \/v1\/plants/.test(call));
  expect(writes).toEqual(["DELETE /v1/plants/7", ADD]);
});

test("Close leaves the form, and what was typed stays for the next time", async () => {
  const { closed, fill, submit } = await opened();
  await fill("7", "Fern");
  await submit("Close");
  expect(closed).toEqual(["closed"]);
  expect(sessionStorage.getItem("draft:new-plant")).toContain("Fern");
});
