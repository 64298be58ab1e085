import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { AccountMenu } from "./account-menu.tsx";

const SIGN_OUT = "POST /auth/sign-out";

async function opened(answers: Record<string, unknown> = {}, session = SESSION) {
  const rendered = await renderComponent(<AccountMenu session={session} />, { answers });
  const button = rendered.getByRole("button");
  await rendered.user.click(button);
  await rendered.findByRole("menu");
  return { ...rendered, button };
}

test("a sign-out that is refused says so in the open menu, and nothing of the tab is lost", async () => {
  const { user, left, findByRole, findByText } = await opened({ [SIGN_OUT]: refusal(50301, "The storage is away") });
  sessionStorage.setItem("draft:plant:7", "{}");
  await user.click(await findByRole("menuitem", { name: "Sign out" }));
  expect((await findByText("The storage is away")).getAttribute("role")).toBe("alert");
  expect([left, sessionStorage.length]).toEqual([[], 1]);
});

test("who has one store chooses none; who has several sees them and opens one in a document of its own", async () => {
  expect((await opened()).queryByRole("menuitemradio", { name: /Greenleaf/ })).toBeNull();
  const other = { id: "acc_2", name: "Rosewood", role: "viewer", test: true } as const;
  const { button, user, getByRole, left } = await opened({}, { ...SESSION, stores: [...SESSION.stores, other] });
  expect(button.textContent).toBe("Greenleaf NurseryGreenleaf Nursery");
  expect(getByRole("menuitemradio", { name: /Greenleaf/ }).getAttribute("aria-checked")).toBe("true");
  await user.click(getByRole("menuitemradio", { name: /Rosewood.*Test, viewer/ }));
  expect(left).toEqual(["/dashboard?store=acc_2"]);
  expect(localStorage.getItem("plantstore-store")).toBe("acc_2");
});
