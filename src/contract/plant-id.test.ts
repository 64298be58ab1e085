import { expect, test } from "bun:test";
import { parsePlantId } from "./plant-id.ts";

test("every int64 is read to its last digit", () => {
  for (const id of ["0", "-9223372036854775808", "9223372036854775807", "9007199254740993"]) {
    expect(String(parsePlantId(id))).toBe(id);
  }
});

test("another spelling of a number, and a number outside int64, is no id: clients and addresses read it alike", () => {
  const others = ["+42", "007", "-0", " 42", "9223372036854775808", "-9223372036854775809", "1.5", "1e3", "", "0x10"];
  for (const text of others) expect(parsePlantId(text)).toBeUndefined();
});
