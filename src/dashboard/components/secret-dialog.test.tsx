import { expect, test } from "bun:test";
import { useState } from "react";
import { focusedName, leavingIsQuestioned, renderComponent } from "#test/support/component.tsx";
import { Action } from "./action.tsx";
import { SecretDialog, type ShownSecret } from "./secret-dialog.tsx";

const SECRET: ShownSecret = {
  what: "token",
  title: "Your new token",
  warning: "Copy it now",
  values: ["plant_1"],
  file: { name: "plantstore.env", content: "PLANTSTORE_TOKEN=plant_1\n" },
};

async function opened() {
  const closed: string[] = [];
  const rendered = await renderComponent(
    <SecretDialog title="Create token" secret={SECRET} onClose={() => closed.push("closed")}>
      <p>the form</p>
    </SecretDialog>,
  );
  return { ...rendered, closed };
}

test("the secret takes the place of the form, selected for those who copy by keyboard", async () => {
  const { user, findByLabelText, queryByText } = await opened();
  const field = await findByLabelText("Token");
  expect(queryByText("the form")).toBeNull();
  await user.click(field);
  expect([Reflect.get(field, "selectionStart"), Reflect.get(field, "selectionEnd")]).toEqual([0, "plant_1".length]);
  expect(field).toHaveProperty("readOnly", true);
});

test.each([
  ["Token", ["plant_1"]],
  ["Copy the token", ["plant_1", "plant_2"]],
])("the focus goes on from the form to %s", async (name, values) => {
  function Making() {
    const [made, setMade] = useState(false);
    return (
      <SecretDialog title="Create token" secret={made ? { ...SECRET, values } : undefined} onClose={() => {}}>
        <Action label="Create" onClick={() => setMade(true)} />
      </SecretDialog>
    );
  }
  const { press, findByText, waitFor } = await renderComponent(<Making />);
  await press("Create");
  await findByText("Copy it now");
  await waitFor(() => expect(focusedName()).toBe(name));
});

test("leaving the page is questioned by the browser until the secret was kept", async () => {
  const { press, findByText, waitFor } = await opened();
  await findByText("Copy it now");
  await waitFor(() => expect(leavingIsQuestioned()).toBe(true));
  await press("Copy the token");
  await waitFor(() => expect(leavingIsQuestioned()).toBe(false));
});
