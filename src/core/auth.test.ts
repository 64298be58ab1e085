import { expect, test } from "bun:test";
import { isAuthPath } from "./auth.ts";

test("an address of sign-in is known by its whole path, and no property of objects is one", () => {
  expect(isAuthPath("/sign-in/email")).toBe(true);
  for (const path of ["", "/", "/sign-in", "/sign-in/email/", "toString", "__proto__", "constructor"])
    expect(isAuthPath(path)).toBe(false);
});
