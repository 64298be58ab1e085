import { expect, test } from "bun:test";
import { refusal as refusalOf } from "#test/support/refusal.ts";
import { readPlantPatch } from "./new-plant.ts";

const ID = 9_007_199_254_740_993n;

const refusal = (text: string) => refusalOf(() => readPlantPatch(text, ID))[0];

test("a patch has the members that were sent, and a tag that is null says to remove it", () => {
  expect(readPlantPatch("{}", ID)).toEqual({});
  expect(readPlantPatch('{"name":""}', ID)).toEqual({ name: "" });
  expect(readPlantPatch('{"tag":null,"colour":"green"}', ID)).toEqual({ tag: null });
  expect(readPlantPatch('{"name":"a","tag":"b"}', ID)).toEqual({ name: "a", tag: "b" });
});

test("the plant's own id may be sent, exact to its last digit and in any spelling of the integer; another may not", () => {
  expect(readPlantPatch(`{"id":${ID},"name":"a"}`, ID)).toEqual({ name: "a" });
  expect(readPlantPatch('{"id":9007199254740993.0}', ID)).toEqual({});
  for (const id of ["9007199254740992", "9007199254740994", '"9007199254740993"', "null", "9007199254740993.5"])
    expect([id, refusal(`{"id":${id}}`)]).toEqual([id, "member-invalid"]);
});

test("a name cannot be removed, and neither member can be anything but a string", () => {
  for (const text of ['{"name":null}', '{"name":1}', '{"tag":false}', '{"tag":["a"]}', '{"name":"\\u0000"}'])
    expect([text, refusal(text)]).toEqual([text, "member-invalid"]);
});

test("a patch that is no object would replace the plant by something else, and is refused", () => {
  for (const text of ["null", "[]", '"a"', "5"]) expect([text, refusal(text)]).toEqual([text, "body-not-a-plant"]);
  for (const text of ["", "{", "undefined"]) expect([text, refusal(text)]).toEqual([text, "body-not-json"]);
});
