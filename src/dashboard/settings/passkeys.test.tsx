import { expect, test } from "bun:test";
import type { PasskeyRecord } from "#contract/dashboard/sign-in.ts";
import { focusedName, refusal, renderComponent } from "#test/support/component.tsx";
import { slowRefusal } from "#test/support/slow-refusal.ts";
import { Passkeys } from "./passkeys.tsx";

const LIST = "GET /auth/passkey/list-user-passkeys";
const DELETE = "POST /auth/passkey/delete-passkey";

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

test("Escape keeps the passkey and gives the focus back to its button", async () => {
  const { user, calls, findByRole, queryByRole, waitFor } = await renderComponent(<Passkeys />, {
    answers: { [LIST]: [PHONE] },
  });
  const button = await findByRole("button", { name: "Remove Phone" });
  await user.click(button);
  await findByRole("dialog", { name: "Remove this passkey?" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  await waitFor(() => expect(focusedName()).toBe("Remove Phone"));
  expect(calls()).not.toContain(DELETE);
});

test("a removal that fails says why in the question, which stays open", async () => {
  const { user, findByRole, findByText, within } = await renderComponent(<Passkeys />, {
    answers: { [LIST]: [PHONE], [DELETE]: refusal(50301, "The storage is away") },
  });
  await user.click(await findByRole("button", { name: "Remove Phone" }));
  const question = await findByRole("dialog", { name: "Remove this passkey?" });
  await user.click(within(question).getByRole("button", { name: "Remove" }));
  await findByText("The storage is away");
  within(question).getByText("req_test");
});

test("at an address of digits it says that passkeys need a name, and leads to one of this machine", async () => {
  const { findByRole, queryByRole } = await renderComponent(<Passkeys />, {
    answers: { [LIST]: [] },
    path: "/dashboard/settings/security",
  });
  const link = await findByRole("link", { name: "Open it at localhost" });
  expect(link.getAttribute("href")).toBe("http://localhost:3000/dashboard/settings/security");
  expect(queryByRole("button", { name: "Add passkey" })).toBeNull();
});

test("a list that takes long shows its shape meanwhile, and a refused one can be asked for again", async () => {
  const slow = slowRefusal([PHONE]);
  const rendered = await renderComponent(<Passkeys />, { answers: { [LIST]: slow.answer } });
  await slow.check(rendered);
  await rendered.findByRole("button", { name: "Remove Phone" });
});
