import { expect, test } from "bun:test";
import { RefusedRecords } from "./refused-records.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("refused records are given as they stood in the file, below its header, ready to be sent again", async () => {
  const refused = new RefusedRecords("csv");
  const header = bytes("id,name\n");
  refused.add({ header, refused: [{ line: 3, error: 40003, message: "no", record: bytes('x,"Rose\nred"') }] });
  refused.add({ header, refused: [{ line: 9, error: 40901, message: "taken", record: bytes("1,Oak") }] });
  expect(await refused.records.text()).toBe('id,name\nx,"Rose\nred"\n1,Oak\n');
});

test("the bytes of a refused record are not altered, even where they are no UTF-8", async () => {
  const refused = new RefusedRecords("ndjson");
  const record = new Uint8Array([0x7b, 0xff, 0x7d]);
  refused.add({ header: bytes(""), refused: [{ line: 1, error: 40001, message: "no", record }] });
  expect(await refused.records.bytes()).toEqual(new Uint8Array([0x7b, 0xff, 0x7d, 0x0a]));
});

test("each refusal has its line, number and message as CSV, quotes doubled", async () => {
  const refused = new RefusedRecords("ndjson");
  const record = bytes("{}");
  refused.add({ header: bytes(""), refused: [{ line: 2, error: 40002, message: 'a "name" is missing', record }] });
  expect(await refused.reasons.text()).toBe('line,error,message\n2,40002,"a ""name"" is missing"\n');
});
