import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { AccountMenu } from "./account-menu.tsx";

const SIGN_OUT = "POST /auth/sign-out";

async function opened(answers: Record<string, unknown> = {}, account = SESSION.account) {
  const rendered = await renderComponent(<AccountMenu account={account} />, { answers });
  const button = rendered.getByRole("button");
  await rendered.user.click(button);
  await rendered.findByRole("menu");
  return { ...rendered, button };
}

test("the account is told by its name and address, once if they are the same", async () => {
  expect((await opened()).button.textContent).toBe("Greenleaf Nurseryowner@greenleaf.example");
  const { button } = await opened({}, { ...SESSION.account, name: SESSION.account.email });
  expect(button.textContent).toBe("owner@greenleaf.example");
});

test("a name from right to left does not turn the text around it", async () => {
  const { button } = await opened({}, { ...SESSION.account, name: "משתלה" });
  expect(button.querySelector("bdi")?.textContent).toBe("משתלה");
});

test("a sign-out that is refused says so in the open menu, and nothing of the tab is lost", async () => {
  const { user, left, findByRole, findByText } = await opened({ [SIGN_OUT]: refusal(50301, "The storage is away") });
  sessionStorage.setItem("draft:plant:7", "{}");
  await user.click(await findByRole("menuitem", { name: "Sign out" }));
  expect((await findByText("The storage is away")).getAttribute("role")).toBe("alert");
  expect([left, sessionStorage.length]).toEqual([[], 1]);
});
