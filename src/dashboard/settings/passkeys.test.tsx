import { expect, test } from "bun:test";
import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { renderComponent } from "#test/support/component.tsx";
import { passkeyHolder } from "#test/support/passkey-browser.ts";
import { Passkeys } from "./passkeys.tsx";

const LIST = "GET /auth/passkey/list-user-passkeys";
const DELETE = "POST /auth/passkey/delete-passkey";
const VERIFY = "POST /auth/passkey/verify-registration";
const CREDENTIAL = { id: "cred_1", type: "public-key" };

function passkey(id: string, name: string): PasskeyRecord {
  return { id, name, deviceType: "singleDevice", backedUp: false, createdAt: "2026-03-01T00:00:00.000Z" };
}

const PHONE = passkey("pk_1", "Phone");
const NAMELESS = passkey("pk_2", "");

test("passkeys are listed with the day they were added, and one without a name has a word to go by", async () => {
  const { findByRole, getAllByRole } = await renderComponent(<Passkeys />, { answers: { [LIST]: [PHONE, NAMELESS] } });
  await findByRole("button", { name: "Remove Phone" });
  await findByRole("button", { name: "Remove Passkey" });
  expect(getAllByRole("listitem")[0]?.textContent).toMatch(/^PhoneAdded .* ago/);
});

test("a passkey is removed after the question that names it, and leaves the list", async () => {
  let removed = false;
  const { user, sent, findByRole, queryByRole, waitFor, within } = await renderComponent(<Passkeys />, {
    answers: {
      [LIST]: () => (removed ? [NAMELESS] : [PHONE, NAMELESS]),
      [DELETE]: () => {
        removed = true;
        return {};
      },
    },
  });
  await user.click(await findByRole("button", { name: "Remove Phone" }));
  const question = await findByRole("dialog", { name: "Remove this passkey?" });
  expect(question.textContent).toContain("Phone no longer signs you in");
  await user.click(within(question).getByRole("button", { name: "Remove" }));
  await waitFor(() => expect(queryByRole("button", { name: "Remove Phone" }) === null).toBe(true));
  expect(sent(DELETE)).toEqual([{ id: "pk_1" }]);
  expect(queryByRole("dialog")).toBeNull();
});

test("at an address of digits, to which no passkey can belong, the page says where there is one", async () => {
  const path = "/dashboard/settings/security";
  const { findByRole, queryByRole } = await renderComponent(<Passkeys />, { answers: { [LIST]: [] }, path });
  const link = await findByRole("link", { name: "Open it at localhost" });
  expect(link.getAttribute("href")).toBe(`http://localhost:3000${path}`);
  expect(queryByRole("button", { name: "Add passkey" })).toBeNull();
});

test("a passkey is made by the browser from the service's challenge, named, and then listed", async () => {
  Object.assign(passkeyHolder, { asked: [], answers: () => CREDENTIAL });
  let added = false;
  const { user, sent, findByLabelText, findByText } = await renderComponent(<Passkeys />, {
    passkeys: true,
    answers: {
      [LIST]: () => (added ? [passkey("pk_1", "Office laptop")] : []),
      "GET /auth/passkey/generate-register-options": { challenge: "abc", rp: { id: "localhost" } },
      [VERIFY]: () => {
        added = true;
        return {};
      },
    },
  });
  const field = await findByLabelText("Name of the new passkey");
  await user.type(field, " Office laptop {Enter}");
  await findByText("Office laptop");
  expect(passkeyHolder.asked).toEqual([{ challenge: "abc", rp: { id: "localhost" } }]);
  expect(sent(VERIFY)).toEqual([{ response: CREDENTIAL, name: "Office laptop" }]);
  expect(field).toHaveProperty("value", "");
});
