import { expect, test } from "bun:test";
import { focusedName, refusal, renderComponent } from "#test/support/component.tsx";
import { CredentialsForm } from "./credentials-form.tsx";

const SIGN_IN = "POST /auth/sign-in/email";
const EMAIL = "owner@greenleaf.example";

async function opened(answer: unknown = { two_factor: false }, email?: string) {
  const steps: string[] = [];
  const rendered = await renderComponent(
    <CredentialsForm
      email={email}
      done={async () => void steps.push("done")}
      onSecondFactor={() => steps.push("second factor")}
    />,
    { answers: { [SIGN_IN]: answer } },
  );
  const [address, password] = [...rendered.container.querySelectorAll("input")] as HTMLInputElement[];
  if (!address || !password) throw new Error("The form has no fields");
  return { ...rendered, steps, address, password };
}

test("password managers find both fields by the standard's names", async () => {
  const { address, password } = await opened();
  expect([address.name, address.type, address.autocomplete]).toEqual(["email", "email", "username webauthn"]);
  expect([password.name, password.type, password.autocomplete]).toEqual(["password", "password", "current-password"]);
});

test("fields that a password manager fills without typing are sent as they are", async () => {
  const { user, address, password, sent, steps, findByRole, waitFor } = await opened();
  address.value = EMAIL;
  password.value = "filled by a manager";
  await user.click(await findByRole("button", { name: "Sign in" }));
  await waitFor(() => expect(steps).toEqual(["done"]));
  expect(sent(SIGN_IN)).toEqual([{ email: EMAIL, password: "filled by a manager", rememberMe: true }]);
});

test("the password can be shown and hidden again by keyboard, without being sent", async () => {
  const { user, password, calls, findByRole } = await opened();
  await user.type(password, "monstera");
  (await findByRole("button", { name: "Show the password" })).focus();
  await user.keyboard("{Enter}");
  expect(password.type).toBe("text");
  await user.keyboard("{Enter}");
  expect([password.type, calls()]).toEqual(["password", []]);
});

test("Tab goes from the address to the password and then to its button", async () => {
  const { user, waitFor } = await opened();
  await waitFor(() => expect(focusedName()).toBe("E-mail"));
  await user.tab();
  expect(document.activeElement?.getAttribute("name")).toBe("password");
});

test("an account with a second factor is asked for it, and is not signed in yet", async () => {
  const { user, password, steps, waitFor } = await opened({ two_factor: true }, EMAIL);
  await user.type(password, "monstera in the rain{Enter}");
  await waitFor(() => expect(steps).toEqual(["second factor"]));
});

test("the same words answer a wrong password and an unknown address, with nothing that tells them apart", async () => {
  const { user, password, steps, findByRole } = await opened(
    refusal(40152, "The e-mail address or the password is wrong"),
    EMAIL,
  );
  await user.type(password, "guess{Enter}");
  const alert = await findByRole("alert");
  expect(alert.textContent).toContain("The e-mail address or the password is wrong");
  expect(steps).toEqual([]);
});

test("an address that was corrected is stored for a reload in this tab", async () => {
  const first = await opened(undefined, EMAIL);
  await first.user.clear(first.address);
  await first.user.type(first.address, "other@rose.example");
  expect(JSON.parse(sessionStorage.getItem("draft:sign-in") ?? "{}")).toEqual({ email: "other@rose.example" });
});
