import { expect, test } from "bun:test";
import { held, leavingIsQuestioned, refusal, renderComponent } from "#test/support/component.tsx";
import { useAddress } from "../browser/address.ts";
import ImportBar from "./import-bar.tsx";
import { ImportDialog } from "./import-dialog.tsx";
import { ImportProgressView } from "./import-progress.tsx";
import { AttentionList } from "./plan.ts";

const THREE = "id,name,tag\n1,Oak,tree\n2,Ash,\n3,Elm,tree\n";
const ALL_NEW = { created: 3, updated: 0, unchanged: 0, failed: 0, errors: [] };
const IMPORT = "/dashboard/api/v1/plants/import";

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

interface Answers {
  /** What the service foretells, the same by default as what it then does. */
  readonly dry?: unknown;
  readonly done?: unknown;
  readonly more?: Record<string, unknown>;
}

/** The dialog with a file that was chosen. */
async function opened(
  content: BlobPart = THREE,
  { dry, done = ALL_NEW, more = {} }: Answers = {},
  name = "plants.csv",
) {
  const closed: string[] = [];
  const answer = (given: unknown) => (typeof given === "function" ? given() : given);
  const rendered = await renderComponent(<Pages onClose={() => closed.push("closed")} />, {
    answers: {
      [`POST ${IMPORT}`]: ({ url }: { readonly url: URL }) =>
        answer(url.searchParams.get("dry_run") === "true" ? (dry ?? done) : done),
      ...more,
    },
    path: "/dashboard/plants?open=import",
  });
  const chooseFile = async (file: File) => rendered.user.upload(await rendered.findByLabelText("File to import"), file);
  const choose = async (part: BlobPart, name = "plants.csv") => chooseFile(new File([part], name));
  /** The records as they were sent to be written, each time that they were. */
  const sentFiles = () =>
    rendered.asked.filter(({ call }) => call.startsWith("POST /dashboard/api/v1/plants") && !call.includes("dry_run"));
  await choose(content, name);
  return { ...rendered, choose, chooseFile, sentFiles, closed };
}

test("new, changed, unchanged and empty rows are told apart, with the first of each; changed ones are updated, or left as they are", async () => {
  const taken = (...lines: number[]) => lines.map((line) => ({ line, error: 40901, message: "taken" }));
  const first = { created: 12, updated: 1, unchanged: 385, failed: 0, errors: [] };
  // Of the further dry runs the one finds the plants that are here, the other those that differ.
  const dry = [first, { ...first, errors: taken(2, 3) }, { ...first, errors: taken(2) }];
  const at = "2026-01-01T00:00:00Z";
  const here = { id: 2, name: "Ash", tag: "old", created_at: at, updated_at: at };
  const file = "id,name\n1,Oak\n2,Esche\n,\n3,Yew\n";
  const { user, asked, press, sentFiles, findByLabelText, findByRole, findByText } = await opened(file, {
    dry: () => dry.shift(),
    done: { created: 12, unchanged: 385, failed: 1, errors: taken(2) },
    more: { "GET /dashboard/api/v1/plants": { data: [here], next_cursor: null } },
  });
  await findByText("12 new, 1 changed, 385 as before, 1 empty row passed over");
  expect((await findByRole("list", { name: "New plants" })).textContent).toBe("Line 2: 1 Oak is new.");
  expect((await findByRole("list", { name: "Plants that would change" })).textContent).toBe(
    "Line 3: 2 is Ash here, and Esche in the file.",
  );
  await findByText("As before: lines 5 and 384 more.");
  await findByText("Empty: line 4.");
  const [, renamed] = asked.filter(({ call }) => call.startsWith("POST")).map(({ body }) => String(body));
  expect(renamed ?? "").not.toContain("Oak");
  await user.click(await findByLabelText("Leave it"));
  await press("Import");
  await findByText("12 plants added, 1 left as they are, 385 as before");
  expect(sentFiles()[0]?.call).not.toContain("existing=update");
});

test("reasons name the file's own column, refusals of the service come with their number, and the lines are saved as they stood", async () => {
  const file = "Art.-Nr.;Bezeichnung;Topf\n1;Rose;P9\n;Nelke;P8\n2;;P7\n3;Farn;P6\n";
  const { saved, press, findByText } = await opened(file, {
    dry: {
      ...ALL_NEW,
      created: 1,
      failed: 1,
      errors: [{ line: 2, error: 40003, message: "Cannot update the plant: no" }],
    },
  });
  await findByText(/1 new, 3 rows need your attention/);
  await findByText(/^Line 3: Art.-Nr. is empty\./);
  await findByText(/^Line 4: Bezeichnung is empty\./);
  expect((await findByText(/^Line 5: no\./)).textContent).toBe("Line 5: no. 40003");
  expect((await findByText(/is left out/)).textContent).toBe("Topf is left out.");
  await press("Save these lines");
  await press("Save the reasons");
  expect(saved.map(({ name }) => name)).toEqual(["plants-refused.csv", "refused-why.csv"]);
  expect(await saved[0]?.text()).toBe("Art.-Nr.;Bezeichnung;Topf\r\n;Nelke;P8\r\n2;;P7\r\n3;Farn;P6\r\n");
  expect(await saved[1]?.text()).toContain("3,,Art.-Nr. is empty\r\n");
});

test("ids with zeros or an exponent are one question for the whole file, and those that are probably rounded another", async () => {
  const { press, sentFiles, findByText } = await opened("sku,name\n0042,Rose\n4.0E+12,Tulpe\n9007199254740990,Farn\n", {
    more: {
      "GET /dashboard/api/plants/next-id": { id: "7" },
      "GET /dashboard/api/v1/plants": { data: [], next_cursor: null },
    },
  });
  await findByText(/1 id has zeros at the beginning, and 1 id was shortened/);
  await press("Take them as they are");
  await press("Drop the zeros");
  await findByText(/1 row needs your attention/);
  await press("Import");
  await findByText(/^3 plants added, 1 row needs your attention/);
  expect(sentFiles()[0]?.body).toBe('{"id":42,"name":"Rose"}\n{"id":9007199254740990,"name":"Farn"}\n');
});

test("rows without ids are numbered to the last digit, names that are here already are counted, and a number that was taken meanwhile is given anew", async () => {
  const next = ["9007199254740993", "9007199254740999"];
  const outcomes = [
    { created: 1, unchanged: 0, failed: 1, errors: [{ line: 2, error: 40901, message: "taken" }] },
    { created: 1, unchanged: 0, failed: 0, errors: [] },
  ];
  const plant = { id: 1, name: "Oak", created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
  const { press, sentFiles, findByText } = await opened("Pflanze\nOak\nAsh\n", {
    done: () => outcomes.shift(),
    more: {
      "GET /dashboard/api/plants/next-id": () => ({ id: next.shift() }),
      "GET /dashboard/api/v1/plants": { data: [plant], next_cursor: null },
    },
  });
  await findByText(/2 plants get their numbers from Plantstore, from 9007199254740993 on/);
  await findByText("2 rows: 1 has a name that is here already.");
  await press("Import");
  await findByText("2 plants added");
  expect(sentFiles().map(({ body }) => body)).toEqual([
    '{"id":9007199254740993,"name":"Oak"}\n{"id":9007199254740994,"name":"Ash"}\n',
    '{"id":9007199254740999,"name":"Ash"}\n',
  ]);
});

test("a column of whole numbers is the ids, whatever was chosen last for the same headings", async () => {
  const more = {
    "GET /dashboard/api/plants/next-id": { id: "9" },
    "GET /dashboard/api/v1/plants": { data: [], next_cursor: null },
  };
  const { press, choose, findByLabelText, findByText } = await opened("Artikelnummer;Bezeichnung\nBW-1;Rose\n", {
    more,
  });
  expect(await findByLabelText("Id")).toHaveProperty("value", "");
  await findByText("1 new");
  await press("Import");
  await findByText(/plants added/);
  await press("Choose another file");
  await choose("Artikelnummer;Bezeichnung\n1;Rose\n");
  expect(await findByLabelText("Id")).toHaveProperty("value", "0");
});

test("the encoding, the separator and the line of the headings can be changed, and the rows are drawn anew", async () => {
  const latin = new Uint8Array(Buffer.from("id;name\n1;Gr\xfcnlilie\n", "latin1"));
  const { user, findByRole, findByLabelText, findByText } = await opened(latin);
  await findByText(/Windows-1252.*semicolons, headings in line 1/);
  await findByText(/The encoding is a guess/);
  await findByRole("cell", { name: "Grünlilie" });
  await user.selectOptions(await findByLabelText("Encoding"), "windows-1251");
  await findByRole("cell", { name: "Grьnlilie" });
  await user.selectOptions(await findByLabelText("Headings are in"), "0");
  await findByText(/without headings/);
  await findByRole("cell", { name: "name" });
  await user.selectOptions(await findByLabelText("Separator"), ",");
  await findByRole("cell", { name: "id;name" });
});

test("what the service cannot foretell is said, and may be imported; what it does not answer is asked again", async () => {
  const answers = [refusal(40902, "Too many"), refusal(40301, "Your role has changed"), ALL_NEW];
  const dry = () => answers.shift();
  const first = await opened(THREE, { dry });
  await first.findByText(/^Too many rows to foretell each/);
  expect(await first.findByRole("button", { name: "Import" })).toHaveProperty("disabled", false);
  await first.press("Choose another file");
  await first.choose(THREE);
  await first.findByRole("alert", { name: "The rows could not be checked" });
  expect(await first.findByRole("button", { name: "Import" })).toHaveProperty("disabled", true);
  await first.press("Check again");
  await first.findByText("3 new");
});

test("a refusal in the middle says why and that sending all of it again is safe, and does so on demand", async () => {
  let refused = true;
  const { press, findByRole, findByText, queryByRole } = await opened(THREE, {
    dry: ALL_NEW,
    done: () => (refused ? refusal(40301, "Your role has changed") : ALL_NEW),
  });
  await findByText("3 new");
  await press("Import");
  expect((await findByRole("alert", { name: "The import did not finish" })).textContent).toContain(
    "Your role has changed",
  );
  await findByText(/The rest was not sent\. Sending the whole file again is safe\.$/);
  expect(queryByRole("button", { name: "Choose another file" }) === null).toBe(true);
  refused = false;
  await press("Send it again");
  await findByText("3 plants added");
  expect(queryByRole("alert") === null).toBe(true);
});

test("while it runs it can be stopped and not closed by Escape; in the background it goes on, and its result is found again", async () => {
  const answers = [held(ALL_NEW), held(ALL_NEW)];
  const { user, closed, press, findByRole, findByText, queryByRole, queryByText, waitFor } = await opened(THREE, {
    dry: ALL_NEW,
    done: () => answers[0]?.answer(),
  });
  const leave = async (address: string) => {
    history.pushState(null, "", address);
    await waitFor(() => expect(queryByRole("dialog") === null).toBe(true));
  };
  await findByText("3 new");
  await press("Import");
  await findByRole("progressbar", { name: "Import" });
  await user.keyboard("{Escape}");
  expect(closed).toEqual([]);
  await waitFor(() => expect(leavingIsQuestioned()).toBe(true));
  await leave("/dashboard/plants");
  await findByText("Importing plants");
  await press("Show");
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
  await findByText("3 plants added");
  await press("Close");
  expect(queryByText("Import finished") === null).toBe(true);
});

for (const [what, counts, elapsedMs, said] of [
  ["before anything was answered", { created: 0, bytes: 0 }, 100, /^The first plants are on their way…$/],
  ["for seconds", { created: 10, bytes: 500 }, 10_000, / \d+ s left$/],
  ["for minutes", { created: 10, bytes: 500 }, 570_000, / 10 min left$/],
  ["for hours", { created: 10, bytes: 500 }, 7_200_000, / 2\.0 h left$/],
] as const) {
  test(`the share of the file that is sent, the counts and the time that is left are told ${what}`, async () => {
    const run = {
      attention: new AttentionList(),
      counts: { updated: 2, unchanged: 3, left: 0, ...counts },
      startedAt: performance.now() - elapsedMs,
      sizeBytes: 1000,
    };
    const { findByText, findByRole } = await renderComponent(
      <ImportProgressView run={run} onStop={() => {}} onHide={() => {}} />,
    );
    await findByText(said);
    const share = (await findByRole("progressbar", { name: "Import" })).getAttribute("value");
    expect(share).toBe(String(counts.bytes / 1000));
    expect((await findByText(/added, 2 updated, 3 as before$/)).getAttribute("role")).toBe("status");
  });
}

test("of two files the one that was chosen last is imported, also if the other takes longer to read", async () => {
  const slow = held(new TextEncoder().encode(THREE).buffer);
  const first = new File([THREE], "first.csv");
  Reflect.set(first, "slice", () => ({ arrayBuffer: slow.answer }));
  const { press, choose, chooseFile, sentFiles, findByText } = await opened("");
  await findByText(/is empty/);
  await chooseFile(first);
  await choose("id,name\n9,Yew\n");
  await findByText("3 new");
  slow.release();
  await press("Import");
  await findByText(/^3 plants added/);
  expect(sentFiles().map(({ body }) => body)).toEqual(['{"id":9,"name":"Yew"}\n']);
});

test("a file that has changed since it was chosen is not imported, and is to be chosen again", async () => {
  const file = new File([THREE], "plants.csv");
  const { press, chooseFile, sentFiles, findByText, findByRole } = await opened("");
  await chooseFile(file);
  await findByText("3 new");
  Reflect.set(file, "slice", () => ({
    arrayBuffer: () => Promise.reject(new DOMException("gone", "NotReadableError")),
  }));
  await press("Import");
  await findByText("The file has changed: choose it again.");
  await findByRole("button", { name: "Choose a file" });
  expect(sentFiles()).toEqual([]);
});

test("a file that was refused and corrected can be chosen again under the same name, or dropped", async () => {
  const { findByLabelText, findByRole, findByText } = await opened("id,name\n");
  await findByText(/names its columns, and has no plant below them/);
  expect(await findByLabelText("File to import")).toHaveProperty("value", "");
  const zone = (await findByText(/^Drop an Excel, CSV or NDJSON file here/)).closest(".drop-zone") as Element;
  const drop = new Event("drop", { bubbles: true, cancelable: true });
  Object.defineProperty(drop, "dataTransfer", { value: { files: [new File([THREE], "plants.csv")] } });
  zone.dispatchEvent(drop);
  await findByRole("cell", { name: "Ash" });
});
