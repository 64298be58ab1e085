import { expect, spyOn, test } from "bun:test";
import { CommanderError } from "commander";
import { reportFailure } from "./report.ts";

test("the report of a line that was typed wrongly is left to Commander, unless it is JSON", () => {
  const note = spyOn(console, "error").mockImplementation(() => {});
  const error = new CommanderError(1, "commander.unknownOption", "error: unknown option");
  expect([reportFailure(error), note.mock.calls]).toEqual([2, []]);
  expect([reportFailure(error, true), note.mock.calls]).toEqual([2, [['{"error":2,"message":"unknown option"}']]]);
  note.mockRestore();
});
