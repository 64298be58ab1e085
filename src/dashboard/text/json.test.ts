import { expect, test } from "bun:test";
import fc from "fast-check";
import { indentedJson } from "./json.ts";

test("the indented text means what the text meant, whatever it holds, and ids keep their last digit", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(indentedJson(json))).toEqual(JSON.parse(json));
    }),
  );
  const spaced = '{\n  "a": [],\n  "b": {},\n  "c": "}\\",{",\n  "id": 9007199254740993\n}';
  expect(indentedJson('{"a":[],"b":{},"c":"}\\",{","id":9007199254740993}')).toBe(spaced);
});

test("an answer that is no JSON is shown as it came", () => {
  expect(indentedJson("id,name\n1,Oak\n")).toBe("id,name\n1,Oak\n");
  expect(indentedJson("")).toBe("");
});
