import { expect, test } from "bun:test";
import { held, noAnswer, refusal, renderComponent } from "#test/support/component.tsx";
import { SecondFactorForm } from "./second-factor-form.tsx";

const CODE = "POST /auth/two-factor/verify-totp";
const BACKUP = "POST /auth/two-factor/verify-backup-code";

async function opened(answers: Record<string, unknown> = { [CODE]: {} }) {
  const done: string[] = [];
  const rendered = await renderComponent(<SecondFactorForm done={async () => void done.push("signed in")} />, {
    answers,
  });
  const field = () => rendered.findByRole("textbox");
  return { ...rendered, done, field };
}

test("a phone shows digits for the app's code, and letters for a backup code", async () => {
  const { user, field, findByRole } = await opened();
  expect((await field()).getAttribute("inputmode")).toBe("numeric");
  await user.click(await findByRole("button", { name: "Use a backup code" }));
  expect((await field()).getAttribute("inputmode")).toBe("text");
});

test("changing to the other code and back forgets what was typed, and keeps the focus in the field", async () => {
  const { user, field, findByRole, waitFor } = await opened();
  await user.type(await field(), "123");
  await user.click(await findByRole("button", { name: "Use a backup code" }));
  expect(await field()).toHaveProperty("value", "");
  await waitFor(async () => expect(document.activeElement === (await field())).toBe(true));
  await user.click(await findByRole("button", { name: "Use the authenticator app" }));
  await user.type(await field(), "456");
  expect(await field()).toHaveProperty("value", "456");
});

test("trust that was ticked goes with a backup code too", async () => {
  const { user, field, sent, done, findByLabelText, findByRole, waitFor } = await opened({ [BACKUP]: {} });
  await user.click(await findByLabelText("Trust this device for 30 days"));
  await user.click(await findByRole("button", { name: "Use a backup code" }));
  await user.type(await field(), "mlLlf-bJSBU{Enter}");
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(sent(BACKUP)).toEqual([{ code: "mlLlf-bJSBU", trustDevice: true }]);
});

test("without an answer the code stays selected, to be sent again or replaced", async () => {
  const { user, field, done, findByText, waitFor } = await opened({ [CODE]: noAnswer });
  await user.type(await field(), "123456{Enter}");
  await findByText(/does not answer/);
  const code = await field();
  await waitFor(() => expect([Reflect.get(code, "selectionStart"), Reflect.get(code, "selectionEnd")]).toEqual([0, 6]));
  expect(done).toEqual([]);
});

test("too many tries are refused with the reason and the request id", async () => {
  const { user, field, findByText } = await opened({ [CODE]: refusal(42901, "Too many codes. Wait 15 minutes") });
  await user.type(await field(), "123456{Enter}");
  await findByText("Too many codes. Wait 15 minutes");
  await findByText("req_test");
});

test("two presses of Enter send the code once, which is good for one sign-in", async () => {
  const slow = held({});
  const { user, field, calls, done, waitFor } = await opened({ [CODE]: slow.answer });
  await user.type(await field(), "123456{Enter}{Enter}");
  slow.release();
  await waitFor(() => expect(done).toEqual(["signed in"]));
  expect(calls().filter((call) => call === CODE)).toHaveLength(1);
});

test("an empty code is not sent", async () => {
  const { field } = await opened();
  expect((await field()).hasAttribute("required")).toBe(true);
});
