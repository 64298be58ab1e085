import { expect, test } from "bun:test";
import { held, refusal, renderComponent } from "#test/support/component.tsx";
import { ImportDialog } from "./import-dialog.tsx";

const IMPORT = "POST /v1/plants";
const THREE = "id,name,tag\n1,Oak,tree\n2,Ash,\n3,Elm,tree\n";
const DONE = { created: 3, unchanged: 0, failed: 0, errors: [] };

async function opened(answer: unknown, text: BlobPart = THREE, name = "plants.csv") {
  const closed: string[] = [];
  const rendered = await renderComponent(<ImportDialog onClose={() => closed.push("closed")} />, {
    answers: { [IMPORT]: answer, "POST /v1/plants/import": answer },
  });
  const choose = async (part: BlobPart, as = name) =>
    rendered.user.upload(await rendered.findByLabelText("File to import"), new File([part], as));
  await choose(text);
  const start = async () => rendered.user.click(await rendered.findByRole("button", { name: "Import" }));
  const counts = async (created: number, unchanged: number, failed: number) =>
    rendered.findByText(new RegExp(`^${created} created, ${unchanged} unchanged, ${failed} refused`));
  return { ...rendered, choose, start, counts, closed };
}

test("nothing is sent before the first rows were seen and Import was pressed", async () => {
  const { calls, start, counts, findByRole } = await opened(DONE);
  await findByRole("cell", { name: "Oak" });
  expect(calls().filter((call) => call.startsWith("POST /v1/"))).toEqual([]);
  await start();
  await counts(3, 0, 0);
});

test("a finished import says what was created, unchanged and refused, and the refused lines can be downloaded with the reasons", async () => {
  const errors = [{ line: 3, error: 40901, message: 'The id 2 is "taken"' }];
  const { user, saved, start, counts, findByRole, within } = await opened({
    created: 1,
    unchanged: 1,
    failed: 1,
    errors,
  });
  await start();
  await counts(1, 1, 1);
  const table = await findByRole("table", { name: "First refused lines" });
  expect(
    within(table)
      .getAllByRole("cell")
      .map(({ textContent }) => textContent),
  ).toEqual(["3", "40901", 'The id 2 is "taken"']);
  await user.click(await findByRole("button", { name: "Refused lines" }));
  await user.click(await findByRole("button", { name: "Reasons" }));
  expect(saved.map(({ name }) => name)).toEqual(["refused.csv", "refused-why.csv"]);
  expect(await saved[0]?.text()).toBe("id,name,tag\n2,Ash,\n");
  expect(await saved[1]?.text()).toBe('line,error,message\n3,40901,"The id 2 is ""taken"""\n');
});

test("a refusal in the middle says why and that sending all of it again is safe, and does so on demand", async () => {
  let refused = true;
  const { user, start, counts, findByRole, findByText, queryByRole } = await opened(() =>
    refused ? refusal(40102, "The token is revoked") : DONE,
  );
  await start();
  await findByText("The import did not finish");
  await findByText("The token is revoked");
  await findByText(/Sending the whole file again is safe/);
  refused = false;
  await user.click(await findByRole("button", { name: "Send it again" }));
  await counts(3, 0, 0);
  expect(queryByRole("alert")).toBeNull();
});

test("while it runs it can be stopped and not closed by Escape, and what was sent until then is told", async () => {
  const slow = held(DONE);
  const { user, start, closed, findByRole, findByText } = await opened(slow.answer);
  await start();
  await findByRole("progressbar", { name: "Import" });
  await user.keyboard("{Escape}");
  expect(closed).toEqual([]);
  const event = new Event("beforeunload", { cancelable: true });
  dispatchEvent(event);
  expect(event.defaultPrevented).toBe(true);
  await user.click(await findByRole("button", { name: "Stop" }));
  await findByText(/Sending the whole file again is safe/);
  slow.release();
});

test("after one file another can be chosen, and Done closes", async () => {
  const { user, start, counts, choose, closed, findByRole } = await opened(DONE);
  await start();
  await counts(3, 0, 0);
  await user.click(await findByRole("button", { name: "Another file" }));
  await choose('{"id":9007199254740993,"name":"Giant sequoia"}\n', "more.ndjson");
  await findByRole("cell", { name: "9007199254740993" });
  await start();
  await counts(3, 0, 0);
  await user.click(await findByRole("button", { name: "Done" }));
  expect(closed).toEqual(["closed"]);
});

test("a file of semicolons arrives at the service with commas, the plants themselves unchanged", async () => {
  let sent = "";
  const { user, start, counts, findByRole } = await opened(({ body }: { readonly body: string }) => {
    sent += body;
    return { ...DONE, created: 1 };
  }, 'id;name;tag\n1;"Rose; climbing";outdoor, sunny\n');
  await user.click(await findByRole("button", { name: "Read it as CSV with semicolons" }));
  await findByRole("cell", { name: "Rose; climbing" });
  await start();
  await counts(1, 0, 0);
  expect(sent).toBe('id,name,tag\n1,"Rose; climbing","outdoor, sunny"\n');
});

test("letters of an old encoding are read right once that was agreed to, and never shown damaged", async () => {
  const latin = new Uint8Array([
    ...new TextEncoder().encode("id,name\n1,Gr"),
    0xfc,
    ...new TextEncoder().encode("nlilie\n"),
  ]);
  const { user, findByRole, findByText, queryByText } = await opened(DONE, latin);
  await findByText(/not written in UTF-8/);
  expect(queryByText(/�/)).toBeNull();
  await user.click(await findByRole("button", { name: /Windows-1252/ }));
  await findByRole("cell", { name: "Grünlilie" });
});

test("a spreadsheet's Unicode text, UTF-16 with tabs, is read after both were agreed to", async () => {
  const text = "id\tname\n1\tGrünlilie\n";
  const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from(text, "utf16le")]);
  const { user, findByRole } = await opened(DONE, utf16);
  await user.click(await findByRole("button", { name: "Read it as UTF-16" }));
  await user.click(await findByRole("button", { name: "Read it as CSV with tabs" }));
  await findByRole("cell", { name: "Grünlilie" });
  await findByRole("button", { name: "Import" });
});

for (const [what, text, said] of [
  ["an empty file", "", /is empty/],
  ["a file of blank lines", "\n\n\n", /is empty/],
  ["a file of its columns alone", "id,name,tag\n", /no plant/],
] as const) {
  test(`${what} is refused with the reason`, async () => {
    const { findByText, queryByRole } = await opened(DONE, text);
    await findByText(said);
    expect(queryByRole("button", { name: "Import" })).toBeNull();
  });
}

test("a file that was refused and corrected can be chosen again under the same name", async () => {
  const { choose, findByLabelText, findByRole, findByText } = await opened(DONE, "name\nOak\n");
  await findByText(/first line must name the columns/i);
  expect(await findByLabelText("File to import")).toHaveProperty("value", "");
  await choose(THREE);
  await findByRole("cell", { name: "Oak" });
});

test("a file that is dropped is read like one that is chosen", async () => {
  const rendered = await renderComponent(<ImportDialog onClose={() => {}} />);
  const zone = (await rendered.findByText("Drop a CSV or NDJSON file here")).closest(".drop-zone") as Element;
  const drop = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(drop, "dataTransfer", { value: { files: [new File([THREE], "plants.csv")] } });
  zone.dispatchEvent(drop);
  await rendered.findByRole("cell", { name: "Ash" });
});
