import { expect, test } from "bun:test";
import { held, noAnswer, renderComponent } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { CreateToken } from "./create-token.tsx";

const CREATE = "POST /dashboard/api/tokens";
const PATH = "/dashboard/developer/tokens?make=token";
const CREATED = { secret: "plant_secret", token: tokenRecord() };

async function opened(answer: unknown = CREATED) {
  const rendered = await renderComponent(<CreateToken />, { answers: { [CREATE]: answer }, path: PATH });
  const name = await rendered.findByLabelText(/^Name/);
  return { ...rendered, name, submit: () => rendered.user.type(name, "{Enter}") };
}

for (const [access, scopes] of [
  ["Read and write", ["plants:read", "plants:write"]],
  ["Write only", ["plants:write"]],
  ["Read only", ["plants:read"]],
] as const) {
  test(`"${access}" grants that and nothing more, for 90 days unless another term is chosen`, async () => {
    const { user, name, sent, submit, findByLabelText, findByText } = await opened();
    await user.type(name, "Till");
    await user.click(await findByLabelText(access));
    await submit();
    await findByText(/Copy it now/);
    const [asked] = sent(CREATE);
    expect(asked.scopes).toEqual([...scopes]);
    const days = (Date.parse(asked.expires_at) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
  });
}

test("webhooks are managed only where it was ticked, and a token that never expires says so as null", async () => {
  const { user, name, sent, submit, findByLabelText, findByText } = await opened();
  await user.type(name, "Till");
  await user.click(await findByLabelText("Manage webhooks"));
  await user.selectOptions(await findByLabelText("Expires"), "Never");
  await submit();
  await findByText(/Copy it now/);
  expect(sent(CREATE)).toEqual([
    { name: "Till", scopes: ["plants:read", "plants:write", "webhooks:manage"], expires_at: null },
  ]);
});

test("what was typed is still there after a reload of the page, and gone once it was cancelled", async () => {
  const { user, name, findByRole, queryByRole } = await opened();
  await user.type(name, "Till");
  expect(JSON.parse(sessionStorage.getItem("draft:new-token") ?? "{}").name).toBe("Till");
  await user.click(await findByRole("button", { name: "Cancel" }));
  expect(sessionStorage.length).toBe(0);
  expect(location.search).toBe("");
  expect(queryByRole("dialog")).toBeNull();
});

test("without an answer the form keeps its fields, says so, and creates the token at the next try", async () => {
  let gone = true;
  const { user, name, submit, findByLabelText, findByText } = await opened(() => (gone ? noAnswer() : CREATED));
  await user.type(name, "Till");
  await user.click(await findByLabelText("Read only"));
  await submit();
  await findByText(/does not answer/);
  expect(name).toHaveProperty("value", "Till");
  expect(await findByLabelText("Read only")).toHaveProperty("checked", true);
  gone = false;
  await submit();
  await findByText(/Copy it now/);
});

test("two presses of Enter create one token", async () => {
  const slow = held(CREATED);
  const { user, name, calls, findByText } = await opened(slow.answer);
  await user.type(name, "Till{Enter}{Enter}");
  slow.release();
  await findByText(/Copy it now/);
  expect(calls().filter((call) => call === CREATE)).toHaveLength(1);
});

test("the secret is offered as a file that programs read, and is in no storage of the browser", async () => {
  const { user, name, saved, submit, findByRole } = await opened();
  await user.type(name, "Till");
  await submit();
  await user.click(await findByRole("button", { name: "Download .env" }));
  expect(saved.map(({ name }) => name)).toEqual(["plantstore.env"]);
  expect(await saved[0]?.text()).toBe("PLANTSTORE_URL=http://127.0.0.1:3000\nPLANTSTORE_TOKEN=plant_secret\n");
  expect(JSON.stringify([{ ...localStorage }, { ...sessionStorage }])).not.toContain("plant_secret");
});
