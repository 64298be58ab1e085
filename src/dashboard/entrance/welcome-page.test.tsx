import { expect, test } from "bun:test";
import { held, renderComponent, SESSION } from "#test/support/component.tsx";
import WelcomePage from "./welcome-page.tsx";

const ASK = "GET /dashboard/api/welcome";
const SIGN_UP = "POST /dashboard/api/welcome";
const OPEN = { open: true, needs_code: false, message: "", mail: false };

async function opened(answers: Record<string, unknown>) {
  const path = "/dashboard/welcome?code=one-time";
  const rendered = await renderComponent(<WelcomePage />, { answers: { [ASK]: OPEN, ...answers }, path });
  const fill = async () => {
    const { user, findByLabelText } = rendered;
    await user.type(await findByLabelText(/^Your name/), "Rosa Blatt");
    await user.type(await findByLabelText(/^Name of the nursery/), "Greenleaf");
    await user.type(await findByLabelText(/^E-mail/), "owner@greenleaf.example");
    await user.click(await findByLabelText(/^Password/));
    await user.paste("monstera in the rain");
  };
  return { ...rendered, fill };
}

test("the used link leads who is signed in to the dashboard", async () => {
  const { left, waitFor } = await opened({
    [ASK]: { open: false, needs_code: true, message: "There is an account already", mail: false },
  });
  await waitFor(() => expect(left).toEqual(["/dashboard"]));
});

test("two presses of Enter make one account, and so does one after it was made, while the next page loads", async () => {
  const slow = held(SESSION);
  const { user, calls, left, fill, findByRole, waitFor } = await opened({ [SIGN_UP]: slow.answer });
  await fill();
  await user.keyboard("{Enter}{Enter}");
  slow.release();
  await waitFor(() => expect(left).toHaveLength(1));
  await user.click(await findByRole("button", { name: "Create account" }));
  expect(calls().filter((call) => call === SIGN_UP)).toHaveLength(1);
});
