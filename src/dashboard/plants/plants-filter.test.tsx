import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import type { PlantsAddress } from "./plants-address.ts";
import { PlantsFilter } from "./plants-filter.tsx";

const EVERYTHING: PlantsAddress = {
  q: "",
  tag: undefined,
  order: "-created_at",
  plant: undefined,
  panel: undefined,
};

async function shown(address: Partial<PlantsAddress> = {}, tags: readonly string[] = []) {
  const changes: unknown[] = [];
  const filter = (now: Partial<PlantsAddress>) => (
    <PlantsFilter
      address={{ ...EVERYTHING, ...now }}
      onChange={(change, options) => changes.push([change, options])}
      tags={tags}
    />
  );
  const rendered = await renderComponent(filter(address));
  const search = await rendered.findByLabelText("Search by name or id");
  return { ...rendered, changes, search };
}

test("the search waits for a pause in typing, and takes no step for the back button", async () => {
  const { instantUser, changes, search, waitFor } = await shown();
  await instantUser.type(search, "oak");
  await waitFor(() => expect(changes).toEqual([[{ q: "oak" }, { replace: true }]]));
});

test("a tag that is emptied is no filter, which is not the empty tag", async () => {
  const { user, changes, findByLabelText, waitFor } = await shown({ tag: "indoor" });
  await user.type(await findByLabelText("Filter by tag"), "{Backspace}".repeat("indoor".length));
  // On a busy machine two keys may be further apart than the pause.
  await waitFor(() => expect(changes.at(-1)).toEqual([{ tag: undefined }, { replace: true }]));
});

test("the address fills in both fields, and each can be cleared by its own button", async () => {
  const { user, changes, search, findByLabelText, findAllByRole } = await shown({ q: "rose", tag: "outdoor" });
  expect(search).toHaveProperty("value", "rose");
  expect(await findByLabelText("Filter by tag")).toHaveProperty("value", "outdoor");
  const [clearSearch, clearTag] = await findAllByRole("button", { name: "Clear" });
  await user.click(clearSearch as HTMLElement);
  await user.click(clearTag as HTMLElement);
  expect(changes).toEqual([
    [{ q: "" }, { replace: true }],
    [{ tag: undefined }, { replace: true }],
  ]);
});

test("an empty field has no button to clear it", async () => {
  const { queryByRole } = await shown();
  expect(queryByRole("button", { name: "Clear" })).toBeNull();
});

test("tags in use are suggested for the tag, and not for the search", async () => {
  const { container, search, findByLabelText } = await shown({}, ["indoor", "outdoor"]);
  const list = (await findByLabelText("Filter by tag")).getAttribute("list") ?? "";
  const options = [...(container.querySelector(`[id="${list}"]`)?.querySelectorAll("option") ?? [])];
  expect(options.map(({ value }) => value)).toEqual(["indoor", "outdoor"]);
  expect(search.getAttribute("list")).toBeNull();
});

test("the empty tag stands as a filter of its own, which the keyboard can take away", async () => {
  const { user, changes, findByRole, findByText } = await shown({ tag: "" });
  await findByText("With the empty tag");
  (await findByRole("button", { name: "Any tag" })).focus();
  await user.keyboard("{Enter}");
  expect(changes).toEqual([[{ tag: undefined }, undefined]]);
});

test("the slash key finds the search of names, and no other field", async () => {
  const { search, container } = await shown();
  expect([...container.querySelectorAll("[data-page-search]")]).toEqual([search]);
});
