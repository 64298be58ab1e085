import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { CreateToken } from "./create-token.tsx";

const CREATE = "POST /dashboard/api/tokens";

async function opened() {
  const rendered = await renderComponent(<CreateToken />, {
    answers: { [CREATE]: { secret: "plant_secret", token: tokenRecord() } },
    path: "/dashboard/developer/tokens?make=token",
  });
  const name = await rendered.findByLabelText(/^Name/);
  return { ...rendered, name };
}

for (const [access, expiry, webhooks, scopes, days] of [
  ["Read and write", "Never", true, ["plants:read", "plants:write", "webhooks:manage"], undefined],
  ["Write only", undefined, false, ["plants:write"], 90],
  ["Read only", undefined, false, ["plants:read"], 90],
] as const) {
  test(`"${access}" grants that, and webhooks only where it was ticked, for 90 days unless another term is chosen`, async () => {
    const { user, name, sent, findByLabelText, findByText } = await opened();
    await user.click(await findByLabelText(access));
    if (webhooks) await user.click(await findByLabelText("Manage webhooks"));
    if (expiry) await user.selectOptions(await findByLabelText("Expires"), expiry);
    await user.type(name, " Till {Enter}");
    await findByText(/Copy it now/);
    const [asked] = sent(CREATE);
    expect(asked).toMatchObject({ name: "Till", scopes: [...scopes] });
    const term = asked.expires_at && Math.round((Date.parse(asked.expires_at) - Date.now()) / 86_400_000);
    expect(term).toBe(days ?? null);
  });
}

test("the secret is shown once, as a file too, in no storage of the browser; and a reload opens nothing", async () => {
  const { user, name, page, saved, findByRole, findByDisplayValue, queryByRole } = await opened();
  await user.type(name, "Till{Enter}");
  await findByDisplayValue("plant_secret");
  expect([location.search, page.madeToken.get()]).toEqual(["", "plant_secret"]);
  await user.click(await findByRole("button", { name: "Download .env" }));
  expect(saved.map(({ name }) => name)).toEqual(["plantstore.env"]);
  expect(await saved[0]?.text()).toBe("PLANTSTORE_URL=http://127.0.0.1:3000\nPLANTSTORE_TOKEN=plant_secret\n");
  expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("plant_secret");
  await user.click(await findByRole("button", { name: "Done" }));
  expect(queryByRole("dialog")).toBeNull();
});
