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
