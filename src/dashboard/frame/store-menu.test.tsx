import { expect, test } from "bun:test";
import { renderComponent, SESSION } from "#test/support/component.tsx";
import { StoreMenu } from "./store-menu.tsx";

test("who has one store reads its name, and has nothing to choose", async () => {
  const { container, queryByRole } = await renderComponent(<StoreMenu session={SESSION} />);
  expect([container.textContent, queryByRole("button")]).toEqual([expect.stringContaining("Greenleaf Nursery"), null]);
});

test("who has several sees them at the name of the one in use, and opens another in a document of its own", async () => {
  const other = { id: "acc_2", name: "Rosewood", role: "viewer", test: true } as const;
  const session = { ...SESSION, stores: [...SESSION.stores, other] };
  const { user, left, findByRole } = await renderComponent(<StoreMenu session={session} />);
  await user.click(await findByRole("button", { name: "Greenleaf Nursery: change the store" }));
  const own = await findByRole("menuitemradio", { name: /Greenleaf/ });
  expect(own.getAttribute("aria-checked")).toBe("true");
  await user.click(await findByRole("menuitemradio", { name: /Rosewood.*Test, viewer/ }));
  expect([left, localStorage.getItem("plantstore-store")]).toEqual([["/dashboard?store=acc_2"], "acc_2"]);
});
