import { expect, test } from "bun:test";
import fc from "fast-check";
import { indentedJson } from "./json.ts";

test("an id beyond 2^53 is shown to its last digit", () => {
  expect(indentedJson('{"id":9007199254740993,"name":"Oak"}')).toBe('{\n  "id": 9007199254740993,\n  "name": "Oak"\n}');
});

test("the indented text means what the text meant, whatever it holds", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(indentedJson(json))).toEqual(JSON.parse(json));
    }),
  );
  expect(indentedJson('{"a":[],"b":{},"c":"}\\",{"}')).toBe('{\n  "a": [],\n  "b": {},\n  "c": "}\\",{"\n}');
});

test("an answer that is no JSON is shown as it came", () => {
  expect(indentedJson("id,name\n1,Oak\n")).toBe("id,name\n1,Oak\n");
  expect(indentedJson("")).toBe("");
});
