import { expect, test } from "bun:test";
import { focusedName, held, leavingIsQuestioned, refusal, renderComponent } from "#test/support/component.tsx";
import { useAddress } from "../browser/address.ts";
import ImportBar from "./import-bar.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { ImportProgressView } from "./import-progress.tsx";
import { RefusedRecords } from "./import-steps.ts";

const THREE = "id,name,tag\n1,Oak,tree\n2,Ash,\n3,Elm,tree\n";
const DONE = { created: 3, unchanged: 0, failed: 0, errors: [] };
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 13]);
const bytes = (text: string) => new TextEncoder().encode(text);

const PATH = "/dashboard/plants?open=import";

/** The dialog as it is part of the page Plants alone, and the bar of every page. */
function Pages({ onClose }: { readonly onClose: () => void }) {
  const [search, change] = useAddress();
  const close = () => {
    change({ open: undefined });
    onClose();
  };
  return (
    <>
      {search.get("open") === "import" && <ImportDialog onClose={close} />}
      <ImportBar />
    </>
  );
}

/** The dialog with a file that was chosen. */
async function opened(answer: unknown, content: BlobPart = THREE, more: Record<string, unknown> = {}) {
  const closed: string[] = [];
  const rendered = await renderComponent(<Pages onClose={() => closed.push("closed")} />, {
    answers: { "POST /dashboard/api/v1/plants": answer, "POST /dashboard/api/v1/plants/import": answer, ...more },
    path: PATH,
  });
  const choose = async (part: BlobPart, name = "plants.csv") => chooseFile(new File([part], name));
  const chooseFile = async (file: File) => rendered.user.upload(await rendered.findByLabelText("File to import"), file);
  /** The file as it was sent, each time that it was. */
  const sentFiles = () =>
    rendered.asked.filter(({ call }) => call.startsWith("POST /dashboard/api/v1/plants")).map(({ body }) => body);
  await choose(content);
  return { ...rendered, choose, chooseFile, sentFiles, closed };
}

test("nothing is sent before the first rows were seen and Import was pressed; the outcome is heard by screen readers, and Done closes", async () => {
  const answer = { ...DONE, created: 1_234_567 };
  const { user, calls, press, closed, findByRole, findByText, queryByRole, waitFor } = await opened(answer);
  await findByRole("cell", { name: "Oak" });
  expect(calls()).toEqual([]);
  await press("Import");
  const outcome = await findByText("1,234,567 created, 0 unchanged, 0 refused");
  expect(outcome.closest("[role=status]")).not.toBeNull();
  expect([queryByRole("table"), queryByRole("button", { name: "Send it again" })]).toEqual([null, null]);
  await waitFor(() => expect(document.activeElement?.textContent).toBe("Done"));
  await user.keyboard("{Enter}");
  expect(closed).toEqual(["closed"]);
});

test("the first refused lines are shown with their reasons, and all of them can be downloaded, ready to be sent again", async () => {
  const errors = Array.from({ length: 30 }, (_, at) => ({ line: at + 2, error: 40901, message: 'The id is "taken"' }));
  const file = `id,name\n${errors.map(({ line }) => `${line},Oak`).join("\n")}\n`;
  const { saved, press, findByRole, findByText, getAllByRole } = await opened(
    { created: 0, unchanged: 1, failed: 30, errors },
    file,
  );
  await press("Import");
  await findByRole("table", { name: "First refused lines" });
  expect(getAllByRole("row")[1]?.textContent).toBe('240901The id is "taken"');
  expect(getAllByRole("row")).toHaveLength(21);
  await findByText("The first 20 of 30.");
  await press("Refused lines");
  await press("Reasons");
  expect(saved.map(({ name }) => name)).toEqual(["refused.csv", "refused-why.csv"]);
  expect(await saved[0]?.text()).toBe(file);
  expect(await saved[1]?.text()).toStartWith('line,error,message\n2,40901,"The id is ""taken"""\n3,');
});

test("the bytes of a refused record are not altered, even where they are no UTF-8", async () => {
  const refused = new RefusedRecords("ndjson");
  const record = new Uint8Array([0x7b, 0xff, 0x7d]);
  refused.add({ header: bytes(""), refused: [{ line: 1, error: 40001, message: "no", record }] });
  expect(await refused.records.bytes()).toEqual(new Uint8Array([0x7b, 0xff, 0x7d, 0x0a]));
});

test("a refusal in the middle says why and that sending all of it again is safe, and does so on demand", async () => {
  let refused = true;
  const { press, findByRole, findByText, queryByRole } = await opened(() =>
    refused ? refusal(40102, "The token is revoked") : DONE,
  );
  await press("Import");
  expect((await findByRole("alert", { name: "The import did not finish" })).textContent).toContain(
    "The token is revoked",
  );
  const icon = (said: HTMLElement) => said.closest("[role=status]")?.querySelector("path")?.getAttribute("d");
  const partly = icon(await findByText(/The rest was not sent\. Sending the whole file again is safe\.$/));
  expect(queryByRole("button", { name: "Choose another file" })).toBeNull();
  refused = false;
  await press("Send it again");
  expect(icon(await findByText(/^3 created/))).not.toBe(partly);
  expect(queryByRole("alert")).toBeNull();
});

test("while it runs it can be stopped and not closed by Escape, and what was sent until then is told", async () => {
  const slow = held(DONE);
  const { user, press, closed, findByRole, findByText, waitFor } = await opened(slow.answer);
  await press("Import");
  await findByRole("progressbar", { name: "Import" });
  await user.keyboard("{Escape}");
  await waitFor(() => expect(leavingIsQuestioned()).toBe(true));
  expect(closed).toEqual([]);
  await press("Stop");
  await findByText(/Sending the whole file again is safe/);
  slow.release();
});

test("when its page is left it goes on, can be stopped everywhere, and its result is found again", async () => {
  const answers = [held(DONE), held(DONE)];
  const { press, findByRole, findByText, queryByRole, queryByText, waitFor } = await opened(() => answers[0]?.answer());
  const leave = async (address: string) => {
    history.pushState(null, "", address);
    await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  };
  await press("Import");
  await findByRole("progressbar", { name: "Import" });
  expect(queryByText("Importing plants")).toBeNull();
  await leave("/dashboard/plants");
  await findByText("Importing plants");
  expect(leavingIsQuestioned()).toBe(true);
  await press("Show");
  await findByRole("progressbar", { name: "Import" });
  await press("Continue in the background");
  await press("Stop");
  expect((await findByText("Import stopped")).closest("[role=status]")).not.toBeNull();
  expect(leavingIsQuestioned()).toBe(false);
  await leave("/dashboard/settings");
  await press("Show result");
  expect(location.pathname).toBe("/dashboard/plants");
  answers.shift();
  await press("Send it again");
  await leave("/dashboard/settings");
  answers[0]?.release();
  await findByText("Import finished");
  await findByText("3 created, 0 unchanged, 0 refused");
  await press("Close");
  expect(queryByText("Import finished")).toBeNull();
});

for (const [what, counts, elapsedMs, said] of [
  ["before anything was answered", { created: 0, bytes: 0 }, 100, /^The first plants are on their way…$/],
  ["for seconds", { created: 10, bytes: 500 }, 10_000, / \d+ s left$/],
  ["for minutes", { created: 10, bytes: 500 }, 570_000, / 10 min left$/],
  ["for hours", { created: 10, bytes: 500 }, 7_200_000, / 2\.0 h left$/],
] as const) {
  test(`the share of the file that is sent, the counts and the time that is left are told ${what}`, async () => {
    const run = {
      refused: new RefusedRecords("csv"),
      counts: { unchanged: 3, failed: 4, lines: 0, ...counts },
      startedAt: performance.now() - elapsedMs,
      sizeBytes: 1000,
    };
    const { findByText, findByRole } = await renderComponent(
      <ImportProgressView run={run} onStop={() => {}} onHide={() => {}} />,
    );
    await findByText(said);
    const share = (await findByRole("progressbar", { name: "Import" })).getAttribute("value");
    expect(share).toBe(String(counts.bytes / 1000));
    expect((await findByText(/created, 3 unchanged, 4 refused$/)).getAttribute("role")).toBe("status");
  });
}

test("a file of semicolons is read as such once that is agreed to; columns of other names are guessed, assigned by hand, previewed, and sent with nothing else changed; the choice is remembered", async () => {
  const text = 'Regal;SKU;Pflanze;Kategorie\n7;1001;"Grünlilie; klein";Zimmer, hell\n8;1002;Rose;\n';
  const { user, press, choose, sentFiles, findByRole, findByText, findByLabelText } = await opened(DONE, text);
  await findByText("The columns of this file are separated by semicolons.");
  await press("Read it as CSV with semicolons");
  expect(await findByLabelText("Id")).toHaveProperty("value", "1");
  expect(focusedName()).toBe("Id");
  expect(await findByLabelText("Name")).toHaveProperty("value", "2");
  expect(await findByLabelText("Tag")).toHaveProperty("value", "3");
  await findByRole("cell", { name: "Grünlilie; klein" });
  await user.selectOptions(await findByLabelText("Tag"), "Regal");
  await findByRole("cell", { name: "7" });
  await press("Import");
  await findByText(/^3 created/);
  expect(sentFiles()).toEqual(['tag,id,name,column 4\n7,1001,"Grünlilie; klein","Zimmer, hell"\n8,1002,Rose,\n']);
  await press("Choose another file");
  await choose(text.replaceAll(";", ","));
  expect(await findByLabelText("Tag")).toHaveProperty("value", "0");
});

const UNNUMBERED = 'Regal,Pflanze\n7,"Rose, ""red"""\n\n8,"Tree\nfern"\n';

test("a file without ids goes on from the account's greatest, to the last digit, as its preview shows", async () => {
  const answers = [refusal(40102, "The token is revoked"), DONE];
  const next = { "GET /dashboard/api/plants/next-id": { id: "9007199254740993" } };
  const { press, sentFiles, findByRole, findByText } = await opened(() => answers.shift(), UNNUMBERED, next);
  await findByRole("cell", { name: "9007199254740993" });
  await findByRole("cell", { name: "9007199254740994" });
  await press("Import");
  await press("Send it again");
  await findByText(/^3 created/);
  const body = 'id,column 2,name\n9007199254740993,7,"Rose, ""red"""\n\n9007199254740994,8,"Tree\nfern"\n';
  expect(sentFiles()).toEqual([body, body]);
});

test("a column of codes is not taken for ids, and one that is can be given up for the next free ids", async () => {
  const next = { "GET /dashboard/api/plants/next-id": { id: "9" } };
  const { user, choose, press, findByLabelText, findByText } = await opened(DONE, "SKU,Pflanze\nA-100,Rose\n", next);
  await findByText(/^The plants get the ids from 9 on/);
  expect(await findByLabelText("Id")).toHaveProperty("value", "");
  await press("Choose another file");
  await choose("SKU,Pflanze\n100,Rose\n");
  expect(await findByLabelText("Id")).toHaveProperty("value", "0");
  await user.selectOptions(await findByLabelText("Id"), "The next free ids");
  await findByText(/^The plants get the ids from 9 on/);
});

test("where no id is free above the greatest, nothing can be imported until a column of ids is chosen", async () => {
  const next = { "GET /dashboard/api/plants/next-id": { id: null } };
  const { user, findByRole, findByLabelText } = await opened(DONE, UNNUMBERED, next);
  const button = await findByRole("button", { name: "Import" });
  expect(button).toHaveProperty("disabled", true);
  await user.selectOptions(await findByLabelText("Id"), "Regal");
  expect(await findByRole("button", { name: "Import" })).toHaveProperty("disabled", false);
});

test("a record that is too long to be numbered is named by its line, and nothing is sent", async () => {
  const next = { "GET /dashboard/api/plants/next-id": { id: "1" } };
  const { press, sentFiles, findByText } = await opened(DONE, `name\nOak\n"${"x".repeat(2 ** 21)}"\n`, next);
  await findByText(/^The plants get the ids from 1 on/);
  await press("Import");
  await findByText(/^The plant on line 3 is longer than 1 MiB/);
  expect(sentFiles()).toEqual([]);
});

test("columns that are chosen while the next free id is asked for stay chosen", async () => {
  const slow = held({ id: "9" });
  const { user, findByLabelText, findByText } = await opened(DONE, "SKU,Pflanze,Regal\n1,Rose,7\n", {
    "GET /dashboard/api/plants/next-id": slow.answer,
  });
  await user.selectOptions(await findByLabelText("Id"), "");
  await user.selectOptions(await findByLabelText("Tag"), "Regal");
  slow.release();
  await findByText(/^The plants get the ids from 9 on/);
  const columns = [await findByLabelText("Id"), await findByLabelText("Tag")].map((each) => Reflect.get(each, "value"));
  expect(columns).toEqual(["", "2"]);
});

test("of two files the one that was chosen last is imported, also if the other takes longer to read", async () => {
  const slow = held(bytes(THREE).buffer);
  const first = new File([THREE], "first.csv");
  Reflect.set(first, "slice", () => ({ arrayBuffer: slow.answer }));
  const { press, choose, chooseFile, sentFiles, findByText } = await opened(DONE, "");
  await findByText(/is empty/);
  await chooseFile(first);
  await choose("id,name\n9,Yew\n");
  slow.release();
  await press("Import");
  await findByText(/^3 created/);
  expect(sentFiles()).toEqual(["id,name\n9,Yew\n"]);
});

test("while a file is made ready it can neither be put aside nor closed, since it would be imported all the same", async () => {
  const slow = held(undefined);
  const file = new File(["name\nOak\n"], "plants.csv");
  const stream = () => new ReadableStream({ start: (controller) => slow.answer().then(() => controller.close()) });
  Reflect.set(file, "stream", stream);
  const { user, press, chooseFile, closed, findByRole, findByText } = await opened(DONE, "", {
    "GET /dashboard/api/plants/next-id": { id: "1" },
  });
  await chooseFile(file);
  await findByText(/^The plants get the ids from 1 on/);
  await press("Import");
  expect(await findByRole("button", { name: "Choose another file" })).toHaveProperty("disabled", true);
  await user.keyboard("{Escape}");
  expect(closed).toEqual([]);
  slow.release();
  await findByText(/^3 created/);
});

test("letters of an old encoding are read right once that was agreed to, and never shown damaged", async () => {
  const latin = new Uint8Array([...bytes("id,name\n1,Gr"), 0xfc, ...bytes("nlilie\n")]);
  const { press, findByRole, findByText, queryByText } = await opened(DONE, latin);
  await findByText(/not written in UTF-8/);
  expect(queryByText(/�/)).toBeNull();
  await press(/Windows-1252/);
  await findByRole("cell", { name: "Grünlilie" });
});

test("a spreadsheet's Unicode text, UTF-16 with tabs, is read after both were agreed to", async () => {
  const utf16 = new Uint8Array([0xff, 0xfe, ...Buffer.from("id\tname\n1\tGrünlilie\n", "utf16le")]);
  const { press, findByRole } = await opened(DONE, utf16);
  await press("Read it as UTF-16");
  await press("Read it as CSV with tabs");
  await findByRole("cell", { name: "Grünlilie" });
});

test.each([
  ["a picture", PNG, /^This file is not text\. Choose a CSV or NDJSON file\.$/],
  ["an empty file", "", /is empty/],
  ["a file of blank lines", "\n\n\n", /is empty/],
  ["a file of its columns alone", "id,name,tag\n", /no plant/],
] as const)("%s is refused with the reason", async (_what, content, said) => {
  const { findByText, queryByRole } = await opened(DONE, content);
  await findByText(said);
  expect(queryByRole("button", { name: "Import" })).toBeNull();
});

test("a file that was refused and corrected can be chosen again under the same name", async () => {
  const { choose, findByLabelText, findByRole, findByText } = await opened(DONE, "1\nOak\n");
  await findByText(/first line must name the columns/i);
  expect(await findByLabelText("File to import")).toHaveProperty("value", "");
  await choose(THREE);
  await findByRole("cell", { name: "Oak" });
});

test("a file that is dropped is read like one that is chosen", async () => {
  const { findByText, findByRole } = await renderComponent(<ImportDialog onClose={() => {}} />);
  const zone = (await findByText("Drop a CSV or NDJSON file here")).closest(".drop-zone") as Element;
  const drop = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(drop, "dataTransfer", { value: { files: [new File([THREE], "plants.csv")] } });
  zone.dispatchEvent(drop);
  await findByRole("cell", { name: "Ash" });
});
