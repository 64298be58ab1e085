import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { OPERATIONS, publishedOperation } from "#test/support/published-document.ts";
import type { Operation } from "./openapi.ts";
import { OperationView } from "./operation-view.tsx";

async function shown(of: string | Operation) {
  const rendered = await renderComponent(
    <OperationView operation={typeof of === "string" ? publishedOperation(of) : of} />,
  );
  const headings = rendered.getAllByRole("heading", { level: 4 }).map(({ textContent }) => textContent);
  const part = (title: string) =>
    rendered.getByRole("heading", { level: 4, name: title }).parentElement?.querySelector(".members") as HTMLElement;
  return { ...rendered, headings, part };
}

test("an operation is a part of the page with a name, and a link of its own that tells which it is", async () => {
  const { getByRole, container } = await shown("createPlant");
  expect(container.querySelector("section")?.id).toBe("createPlant");
  getByRole("region", { name: /^Create a plant/ });
  expect(getByRole("link", { name: "Link to Create a plant" }).getAttribute("href")).toBe("#createPlant");
});

test("only what anybody may ask says that no token is needed", async () => {
  const open = await shown("getHealth");
  open.getByText("No token is needed.");
  const closed = await shown("listPlants");
  expect(closed.queryByText("No token is needed.")).toBeNull();
});

test("each parameter has its type, its limits, and whether it is required", async () => {
  const { part } = await shown("getPlant");
  const [id] = [...part("Parameters").children].map(({ textContent }) => textContent);
  expect(id).toStartWith("id integer (int64)required");
  const list = await shown("listPlants");
  expect(list.part("Parameters").textContent).toContain("From 1 to 1000. By default 100.");
});

test("every answer is told by its status; the errors that all operations share are one", async () => {
  const { part } = await shown("createPlant");
  const statuses = [...part("Answers").children].map((item) => item.querySelector("code")?.textContent);
  expect(statuses[0]).toBe("200");
  expect(statuses.at(-1)).toBe("4xx, 5xx");
  expect(new Set(statuses).size).toBe(statuses.length);
});

test("each error stands at its status, and leads to what it means", async () => {
  const { part } = await shown("createPlant");
  const [refused, other] = [...part("Answers").children].slice(-2);
  const links = (item?: Element) => [...(item?.querySelectorAll("a") ?? [])].map((link) => link.getAttribute("href"));
  expect(links(refused)).toContain("/docs#error-40001");
  expect(links(refused)).not.toContain("/docs#error-40901");
  expect(links(other)).toContain("/docs#error-40901");
});

test("a webhook shows the type and the body of its event, and is not sent from here", async () => {
  const { container, headings, queryByRole } = await shown("receivePlantChanged");
  expect(headings).toEqual(["Parameters", "Body", "Your answer"]);
  expect(container.querySelector(".address")?.textContent).toBe("POST plant.changed");
  const body = JSON.parse(container.querySelector(".operation-side pre")?.textContent ?? "");
  expect(body).toMatchObject({ type: "plant.changed", data: { plant_id: "42", previous: { name: "Monstera" } } });
  expect(queryByRole("button", { name: /Try it/ })).toBeNull();
});

test("an answer folds open to its members, an example and its headers, and says to screen readers whose they are", async () => {
  const { user, part } = await shown("getPlant");
  const [first] = [...part("Answers").children];
  const fold = first?.querySelector("summary") as HTMLElement;
  expect(fold.textContent).toBe("application/json of the answer 200");
  await user.click(fold);
  expect(first?.querySelector("pre")?.textContent).toContain('"id": ');
  expect(first?.textContent).toMatch(/Headers: .*ETag/);
});

test("an answer without a body offers its headers alone, and one without either nothing to open", async () => {
  const { part } = await shown("removePlant");
  expect([...part("Answers").querySelectorAll("summary")][0]?.textContent).toBe("Headers of the answer 204");
  const bare = {
    ...publishedOperation("removePlant"),
    responses: [{ status: "204", response: { description: "It is gone." } }],
  };
  const { part: bareOf } = await shown(bare);
  expect(bareOf("Answers").querySelector("details")).toBeNull();
});

for (const each of OPERATIONS) {
  test(`${each.id} is shown whole: every parameter, media type and status`, async () => {
    const { container } = await shown(each.id);
    const text = container.textContent ?? "";
    for (const { name } of each.parameters) expect(text).toContain(name);
    for (const mediaType of Object.keys(each.body?.content ?? {})) expect(text).toContain(mediaType);
    for (const { status } of each.responses) expect(text).toContain(status === "default" ? "4xx, 5xx" : status);
  });
}
