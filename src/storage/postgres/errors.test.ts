import { expect, test } from "bun:test";
import pg from "pg";
import { Failure } from "#core/failure.ts";
import { reasonOf, toFailure, toWriteFailure } from "./errors.ts";

function databaseError(code: string, message = "of the database"): pg.DatabaseError {
  return Object.assign(new pg.DatabaseError(message, 0, "error"), { code });
}

const codeOf = (error: unknown) => (error instanceof Failure ? error.code : "stays");

test.each([
  ["08006", "a lost connection"],
  ["25006", "a standby that is read-only"],
  ["40P01", "a deadlock"],
  ["42501", "a missing right"],
  ["53100", "a full disk"],
  ["53300", "too many connections"],
  ["55P03", "a lock that was not to be had"],
  ["57P01", "a shutdown"],
  ["3D000", "a missing database"],
])("%s (%s) is unavailable: an operator or time resolves it", (code) => {
  expect(codeOf(toFailure(databaseError(code)))).toBe("unavailable");
});

test.each(["42601", "42P01", "22P05", "23505"])("%s is a fault of the service and stays what it is", (code) => {
  const error = databaseError(code);
  expect(toFailure(error)).toBe(error);
});

test("what the driver throws is about the connection, but a mistake in the program is not", () => {
  expect(codeOf(toFailure(new Error("Connection terminated unexpectedly")))).toBe("unavailable");
  for (const mistake of [new TypeError("x"), new RangeError("x"), new Failure("id-taken", "x")])
    expect(toFailure(mistake)).toBe(mistake);
});

test("only a write whose connection was lost may have been kept; every other says that nothing was", () => {
  const said = (error: unknown) => String((toWriteFailure(error) as Error).message);
  for (const error of [databaseError("08006"), databaseError("57P01"), new Error("Connection terminated")])
    expect(said(error)).toContain("kept or not");
  for (const code of ["53100", "25006", "55P03", "40001"])
    expect(said(databaseError(code))).toContain("nothing of it was kept");
});

test("the reason is one line that comes from the innermost cause", () => {
  const refused = Object.assign(new Error(""), { code: "ECONNREFUSED" });
  expect(reasonOf(new AggregateError([refused]))).toBe("ECONNREFUSED");
  expect(reasonOf(new Failure("unavailable", "public", { cause: databaseError("57P03", "is\n  starting up") }))).toBe(
    "is starting up",
  );
});
