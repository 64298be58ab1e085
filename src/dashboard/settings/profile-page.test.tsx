import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION, WhenSignedIn } from "#test/support/component.tsx";
import AccountPage from "./account-page.tsx";
import ProfilePage from "./profile-page.tsx";

const SAVE = "PATCH /dashboard/api/account";
const profile = (
  <WhenSignedIn>
    <ProfilePage />
  </WhenSignedIn>
);

test("a new name is sent without the address, which would ask for a proof", async () => {
  const saved = { ...SESSION, account: { ...SESSION.account, name: "Willow" } };
  const { user, asked, findByRole, findByText } = await renderComponent(profile, {
    answers: { [SAVE]: saved },
  });
  const name = await findByRole("textbox", { name: /^Name/ });
  await user.clear(name);
  await user.type(name, " Willow ");
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("Saved");
  expect(asked.find(({ call }) => call === SAVE)?.body).toBe('{"name":"Willow"}');
});

test("a refusal takes the place of an earlier success, and what was typed stays", async () => {
  let taken = false;
  const { user, findByLabelText, findByRole, findByText, queryByText } = await renderComponent(profile, {
    answers: { [SAVE]: () => (taken ? refusal(40950, "This address has an account already") : SESSION) },
  });
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("Saved");
  taken = true;
  const email = await findByLabelText(/^E-mail/);
  await user.clear(email);
  await user.type(email, "other@greenleaf.example");
  expect(queryByText("Saved")).toBeNull();
  await user.click(await findByRole("button", { name: "Save" }));
  await findByText("This address has an account already");
  expect(queryByText("Saved")).toBeNull();
  expect(email).toHaveProperty("value", "other@greenleaf.example");
});

test("an account is deleted only once its address was typed, and a refusal is said in the dialog", async () => {
  const remove = "POST /dashboard/api/account/delete";
  const { user, asked, findByLabelText, findByRole, findByText } = await renderComponent(
    <WhenSignedIn>
      <AccountPage />
    </WhenSignedIn>,
    { answers: { [remove]: refusal(50301, "The storage is away") } },
  );
  await user.click(await findByRole("button", { name: "Delete this account" }));
  const button = await findByRole("button", { name: "Delete the account" });
  const typed = await findByLabelText(/^Type/);
  await user.type(typed, "owner@greenleaf");
  expect(button).toHaveProperty("disabled", true);
  await user.type(typed, ".example");
  await user.click(button);
  await findByText("The storage is away");
  expect(asked.find(({ call }) => call === remove)?.body).toBe('{"email":"owner@greenleaf.example"}');
  expect(typed).toHaveProperty("value", "owner@greenleaf.example");
});
