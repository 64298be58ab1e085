import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { OPERATIONS, publishedOperation } from "#test/support/published-document.ts";
import type { Operation } from "./openapi.ts";
import { OperationView } from "./operation-view.tsx";

async function shown(operation: Operation) {
  const rendered = await renderComponent(<OperationView operation={operation} />);
  const part = (title: string) => {
    const heading = rendered.getByRole("heading", { level: 4, name: title });
    return [...(heading.parentElement?.querySelector(".members")?.children ?? [])];
  };
  return { ...rendered, part };
}

for (const each of OPERATIONS) {
  test(`${each.operationId} is shown whole, with a link of its own: every parameter, media type and status`, async () => {
    const { container, getByRole, queryByText } = await shown(each);
    expect(container.querySelector("section")?.id).toBe(each.operationId);
    getByRole("region", { name: new RegExp(`^${each.summary}`) });
    const link = getByRole("link", { name: `Link to ${each.summary}` });
    expect(link.getAttribute("href")).toBe(`#${each.operationId}`);
    const text = container.textContent ?? "";
    for (const { name } of each.parameters) expect(text).toContain(name);
    for (const mediaType of Object.keys(each.requestBody?.content ?? {})) expect(text).toContain(mediaType);
    for (const status of Object.keys(each.responses))
      expect(text).toContain(status === "default" ? "4xx, 5xx" : status);
    expect(queryByText("No token is needed.") !== null).toBe(each.security?.length === 0 && !each.isWebhook);
  });
}

test("each error stands at its status, and leads to what it means", async () => {
  const { part } = await shown(publishedOperation("createPlant"));
  const [refused, other] = part("Answers").slice(-2);
  const links = (item?: Element) => [...(item?.querySelectorAll("a") ?? [])].map((link) => link.getAttribute("href"));
  expect(links(refused)).toContain("/docs#error-40001");
  expect(links(refused)).not.toContain("/docs#error-40901");
  expect(links(other)).toContain("/docs#error-40901");
});

test("a webhook shows the type and the body of its event, and is not sent from here", async () => {
  const { container, getAllByRole, queryByRole } = await shown(publishedOperation("receivePlantChanged"));
  const headings = getAllByRole("heading", { level: 4 }).map(({ textContent }) => textContent);
  expect(headings).toEqual(["Parameters", "Body", "Your answer"]);
  const body = JSON.parse(container.querySelector(".operation-side pre")?.textContent ?? "");
  expect(body).toMatchObject({ type: "plant.changed", data: { plant_id: "42", previous: { name: "Monstera" } } });
  expect(queryByRole("button", { name: /Try it/ })).toBeNull();
});

test("an answer folds open to its members, an example and its headers, and says to screen readers whose they are", async () => {
  const { user, part } = await shown(publishedOperation("getPlant"));
  const [first] = part("Answers");
  const fold = first?.querySelector("summary") as HTMLElement;
  expect(fold.textContent).toBe("application/json of the answer 200");
  await user.click(fold);
  expect(first?.querySelector("pre")?.textContent).toContain('"id": ');
  expect(first?.textContent).toMatch(/Headers: .*ETag/);
});
