import { expect, test } from "bun:test";
import { renderComponent } from "#test/support/component.tsx";
import { ImportDialog } from "./import-dialog.tsx";

async function opened() {
  const rendered = await renderComponent(<ImportDialog onClose={() => {}} />);
  const choose = async (name: string, ...parts: BlobPart[]) =>
    rendered.user.upload(await rendered.findByLabelText("File to import"), new File(parts, name));
  return { ...rendered, choose };
}

test("a picture is refused in one sentence, and can not be imported", async () => {
  const { choose, findByText, queryByRole } = await opened();
  await choose("plants.csv", new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]));
  await findByText("This file is not text. Choose a CSV or NDJSON file.");
  expect(queryByRole("button", { name: "Import" })).toBeNull();
});

test("a file with semicolons is read as such once that is agreed to", async () => {
  const { user, choose, findByRole, findByText } = await opened();
  await choose("plants.csv", "id;name;tag\n1;Rose;outdoor\n");
  await findByText("The columns of this file are separated by semicolons.");
  await user.click(await findByRole("button", { name: "Read it as CSV with semicolons" }));
  await findByRole("cell", { name: "Rose" });
  await findByRole("button", { name: "Import" });
});

test("a row that will be refused is marked with the reason, and the others can be imported", async () => {
  const { choose, findByText, findByRole } = await opened();
  await choose("plants.csv", "id,name\n1,Oak\nx,Ash\n");
  await findByText(/^Will be refused: "id" must be/);
  expect((await findByRole("button", { name: "Import" })).hasAttribute("disabled")).toBe(false);
});
