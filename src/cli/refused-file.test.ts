import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "#test/support/service.ts";
import { RefusedFile } from "./refused-file.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const refused = (text: string, line = 1) => ({ line, error: 40003, message: "No id", record: bytes(text) });

test("a file of refused records has the header once, and each record as it was sent, its lines ended as the header's", () => {
  const path = join(temporaryFolder(), "plants.refused.csv");
  const file = new RefusedFile(path);
  const header = bytes("\ufeffid,name\r\n");
  file.add({ header, refused: [refused('x,"two\nlines"')] });
  file.add({ header, refused: [] });
  file.add({ header, refused: [refused("y,木"), refused("z,")] });
  file.close();
  expect(readFileSync(path, "utf8")).toBe('\ufeffid,name\r\nx,"two\nlines"\r\ny,木\r\nz,\r\n');
});

test("a file that cannot be written ends the import with its name", () => {
  const path = join(temporaryFolder(), "missing", "plants.refused.csv");
  expect(() => new RefusedFile(path).add({ header: bytes("id,name\n"), refused: [refused("x")] })).toThrow(path);
});
