import { expect, test } from "bun:test";
import { refusal, renderComponent, SESSION } from "#test/support/component.tsx";
import { tokenRecord } from "#test/support/dashboard-records.ts";
import { ProofDialog } from "../session/proof-dialog.tsx";
import { useSessionQuery } from "../session/session.ts";
import { CreateToken } from "./create-token.tsx";

const SECRET = "plant_0123456789abcdefghijklmnopqrstuvwxyz";
const CREATED = { secret: SECRET, token: tokenRecord() };
const PATH = "/dashboard/developer/tokens?make=token";

function WithSession() {
  return useSessionQuery().data === undefined ? null : <ProofDialog />;
}

test("a token is created with the chosen access, and its secret is shown once", async () => {
  const { user, asked, page, findByLabelText, findByRole, findByDisplayValue } = await renderComponent(
    <CreateToken />,
    {
      answers: { "POST /dashboard/api/tokens": CREATED },
      path: PATH,
    },
  );
  await user.type(await findByRole("textbox", { name: /Name/ }), "Greenhouse import");
  await user.click(await findByLabelText("Read only"));
  await user.click(await findByRole("button", { name: "Create token" }));
  await findByDisplayValue(SECRET);
  expect(JSON.parse(asked.find(({ call }) => call.startsWith("POST"))?.body ?? "")).toMatchObject({
    name: "Greenhouse import",
    scopes: ["plants:read"],
  });
  expect(page.madeToken.get()).toBe(SECRET);
});

test("closing before the secret was copied asks first, and a reload does not open the form again", async () => {
  const { user, findByRole, findByText, queryByText } = await renderComponent(<CreateToken />, {
    answers: { "POST /dashboard/api/tokens": CREATED },
    path: PATH,
  });
  await user.type(await findByRole("textbox", { name: /Name/ }), "Till");
  await user.click(await findByRole("button", { name: "Create token" }));
  await findByText(/Copy it now/);
  expect(location.search).toBe("");
  await user.keyboard("{Escape}");
  await findByText(/Close anyway/);
  await user.click(await findByRole("button", { name: "Close without copying" }));
  expect(queryByText(/Copy it now/)).toBeNull();
});

test("what was typed is kept when the service refuses, and the reason stands in the dialog", async () => {
  const { user, findByRole, findByText, findByDisplayValue } = await renderComponent(<CreateToken />, {
    answers: { "POST /dashboard/api/tokens": refusal(40902, "You have 1,000 tokens; revoke one first") },
    path: PATH,
  });
  await user.type(await findByRole("textbox", { name: /Name/ }), "One too many");
  await user.click(await findByRole("button", { name: "Create token" }));
  await findByText("You have 1,000 tokens; revoke one first");
  await findByText("req_test");
  await findByDisplayValue("One too many");
});

test("where the service wants a proof, the dialog asks for it once, and the creation then goes on by itself", async () => {
  let proven = false;
  const { user, asked, findByRole, findByLabelText, findByDisplayValue } = await renderComponent(
    <>
      <CreateToken />
      <WithSession />
    </>,
    {
      answers: {
        "GET /dashboard/api/session": SESSION,
        "POST /dashboard/api/tokens": () => (proven ? CREATED : refusal(40354)),
        "POST /dashboard/api/proof": () => {
          proven = true;
          return { until: "2999-01-01T00:00:00.000Z" };
        },
      },
      path: PATH,
    },
  );
  await user.type(await findByRole("textbox", { name: /Name/ }), "Till");
  await user.click(await findByRole("button", { name: "Create token" }));
  await user.type(await findByLabelText(/^Password/), "monstera in the rain");
  await user.click(await findByRole("button", { name: "Confirm" }));
  await findByDisplayValue(SECRET);
  expect(asked.filter(({ call }) => call === "POST /dashboard/api/tokens").length).toBe(2);
  expect(asked.find(({ call }) => call === "POST /dashboard/api/proof")?.body).toBe(
    '{"password":"monstera in the rain"}',
  );
});

test("a proof that is not given ends the request without a failure, and the form stays", async () => {
  const { user, findByRole, queryByRole } = await renderComponent(
    <>
      <CreateToken />
      <WithSession />
    </>,
    { answers: { "POST /dashboard/api/tokens": () => refusal(40354) }, path: PATH },
  );
  await user.type(await findByRole("textbox", { name: /Name/ }), "Till");
  await user.click(await findByRole("button", { name: "Create token" }));
  const dialog = await findByRole("dialog", { name: "Confirm that it is you" });
  await user.click(dialog.querySelector("button[type=button]:not([aria-label])") as Element);
  expect(queryByRole("alert")).toBeNull();
  await findByRole("textbox", { name: /Name/ });
});
