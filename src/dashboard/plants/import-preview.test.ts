import { expect, test } from "bun:test";
import { assignedFile } from "./import-file.ts";
import { assignedPreview, previewOf } from "./import-preview.ts";

test("a CSV file shows its columns and first rows, quotes and line breaks within cells understood", async () => {
  const text = 'id,name,tag\n1,"Rose, ""Peace""\nclimbing",outdoor\n2,Fern,\n';
  const preview = await previewOf(new File([text], "plants.csv"));
  expect(preview).toEqual({
    format: "csv",
    columns: ["id", "name", "tag"],
    rows: [
      { cells: ["1", 'Rose, "Peace"\nclimbing', "outdoor"], problem: undefined },
      { cells: ["2", "Fern", ""], problem: undefined },
    ],
  });
});

test("a CSV file is shown as the service reads it: blank lines first, CR line ends, a malformed row", async () => {
  const { columns, rows } = await previewOf(
    new File(['\ufeff\r\r"id","na\rme",name\r1,,"x"y\r2,,Fern\r'], "plants.csv"),
  );
  expect(columns).toEqual(["id", "name", "tag"]);
  expect(rows.map(({ cells }) => cells)).toEqual([['1,,"x"y'], ["2", "Fern", ""]]);
  expect(rows.map(({ problem }) => problem)).toEqual([expect.stringContaining("quote"), undefined]);
});

test("an NDJSON file shows ids to their last digit", async () => {
  const text = '{"id":9007199254740993,"name":"Oak"}\n\n{"id":2,"name":"Ash","tag":"tree"}\n';
  const { format, rows } = await previewOf(new File([text], "plants.jsonl"));
  expect(format).toBe("ndjson");
  expect(rows.map(({ cells }) => cells)).toEqual([
    ["9007199254740993", "Oak", ""],
    ["2", "Ash", "tree"],
  ]);
});

test("of a large file the first five records are shown, and one that is cut off is not", async () => {
  const line = `{"id":1,"name":"${"x".repeat(30_000)}"}\n`;
  const { rows } = await previewOf(new File([line.repeat(20)], "plants.ndjson"));
  expect(rows.length).toBe(2);
  const many = await previewOf(new File(["id,name\n", "1,Oak\n".repeat(50_000)], "plants.csv"));
  expect(many.rows.length).toBe(5);
});

test("a file without a name that tells is known by its first character", async () => {
  expect((await previewOf(new File(['{"id":1,"name":"Oak"}'], "plants.txt"))).format).toBe("ndjson");
  expect((await previewOf(new File(["id,name\n1,Oak"], "plants.txt"))).format).toBe("csv");
});

test("a CSV file without a header, and a file that is neither, is refused before anything is sent", async () => {
  await expect(previewOf(new File(["1,Oak\n2,Ash\n"], "plants.csv"))).rejects.toThrow("id,name,tag");
  await expect(previewOf(new File(["{not json}\n"], "plants.ndjson"))).rejects.toThrow();
});

test("a record that the service will refuse is marked with its reason before anything is sent", async () => {
  const csv = await previewOf(new File(["id,name\n1,Oak\nx,Ash\n3,Ivy,green\n"], "plants.csv"));
  expect(csv.rows.map(({ problem }) => problem !== undefined)).toEqual([false, true, true]);
  const lines = await previewOf(new File(['{"id":1,"name":"Oak"}\n{"id":"2","name":"Ash"}\n[]\n'], "plants.ndjson"));
  expect(lines.rows.map(({ problem }) => problem !== undefined)).toEqual([false, true, true]);
});

test("numbers go to plants alone: records whose cells hold nothing stay as they are, and are not shown", async () => {
  const file = new File(['sep=,\n,,\nname,group,\nOak,tree,\n,,\n"","",""\n \n,\nAsh,tree\n'], "plants.csv");
  const { assigned } = await previewOf(file);
  const chosen = { ...assigned!, firstId: 7n };
  expect(assignedPreview(chosen).rows.map(({ cells }) => cells)).toEqual([
    ["7", "Oak", "tree"],
    ["8", "Ash", "tree"],
  ]);
  expect(await (await assignedFile(file, chosen)).text()).toBe(
    'sep=,\n,,\nid,name,tag,column 4\n7,Oak,tree,\n,,\n"","",""\n \n,\n8,Ash,tree\n',
  );
});
