import { expect, test } from "bun:test";
import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { renderComponent } from "#test/support/component.tsx";
import { Passkeys } from "./passkeys.tsx";

const LIST = "GET /auth/passkey/list-user-passkeys";
const DELETE = "POST /auth/passkey/delete-passkey";

function passkey(id: string, name: string): PasskeyRecord {
  return { id, name, deviceType: "singleDevice", backedUp: false, createdAt: "2026-03-01T00:00:00.000Z" };
}

const PHONE = passkey("pk_1", "Phone");
const NAMELESS = passkey("pk_2", "");

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
