import { expect, test } from "bun:test";
import { commaRecord, convertedFile, UnreadableFile } from "./import-conversion.ts";
import { previewOf } from "./import-preview.ts";

async function unreadable(file: File): Promise<UnreadableFile> {
  const cause = await previewOf(file).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (cause instanceof UnreadableFile) return cause;
  throw new Error(`The file was read: ${String(cause)}`);
}

test("a CSV with semicolons is told apart by name, and reads as such once that is agreed to", async () => {
  const file = new File(['id;name;tag\n1;"Rose; red";outdoor\n2;Fern, tall;\n'], "plants.csv");
  const { message, offer } = await unreadable(file);
  expect(message).toContain("semicolons");
  const { columns, rows } = await previewOf(await convertedFile(file, offer ?? fail()));
  expect(columns).toEqual(["id", "name", "tag"]);
  expect(rows.map(({ cells }) => cells)).toEqual([
    ["1", "Rose; red", "outdoor"],
    ["2", "Fern, tall", ""],
  ]);
});

test("a file in Latin-1 is not shown damaged: it is offered to be read as such, to the last letter", async () => {
  const bytes = Uint8Array.from("id,name\n1,Grünlilie\n", (character) => character.charCodeAt(0));
  const file = new File([bytes], "plants.csv");
  const { message, offer } = await unreadable(file);
  expect(message).toContain("UTF-8");
  const { rows } = await previewOf(await convertedFile(file, offer ?? fail()));
  expect(rows[0]?.cells).toEqual(["1", "Grünlilie"]);
});

test("a picture is refused in a sentence, and nothing of it is shown", async () => {
  const png = new File([new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13])], "plants.csv");
  const { message, offer } = await unreadable(png);
  expect(message).toBe("This file is not text. Choose a CSV or NDJSON file.");
  expect(offer).toBeUndefined();
});

test("quotes keep a separator within its cell", () => {
  expect(commaRecord('1;"a;b";c', ";")).toBe('1,"a;b",c');
  expect(commaRecord("1\ta,b\t", "\t")).toBe('1,"a,b",');
});

function fail(): never {
  throw new Error("Nothing was offered");
}
