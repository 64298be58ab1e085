import { describe, expect, test } from "bun:test";
import { readSettings } from "../settings.ts";
import { startProblem } from "./start-problem.ts";

function coded(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: something`), { code, ...more });
}

function told(error: unknown, environment: Record<string, string> = {}): string {
  const problem = startProblem(error, readSettings(environment));
  return problem instanceof Error ? problem.message : String(problem);
}

describe("a start that fails", () => {
  test.each([
    coded("EADDRNOTAVAIL"),
    coded("ENOTFOUND"),
    coded("EAI_AGAIN"),
    coded("EACCES", { syscall: "listen" }),
    coded("EINVAL", { syscall: "getaddrinfo" }),
  ])("names a host that cannot be listened on (%#)", (error) => {
    expect(told(error, { HOST: "no.such.host" })).toBe("HOST no.such.host with PORT 3000 cannot be listened on");
  });

  test("at a port that only few may listen on says both ways out", () => {
    const refused = coded("EACCES", { syscall: "listen", setting: "HTTP_PORT" });
    expect(told(refused, { DOMAIN: "plants.example.com" })).toMatch(
      /^HTTP_PORT 80 is refused .*CAP_NET_BIND_SERVICE.*above 1023/,
    );
    expect(told(coded("EACCES", { syscall: "listen" }), { PORT: "443" })).toStartWith(
      "PORT 443 is refused by the system",
    );
  });

  test.each(["EACCES", "EROFS", "ENOTDIR", "ENOSPC", "EISDIR", "ENOENT", "EIO"])(
    "names the database's file where it cannot be used (%s)",
    (code) => {
      expect(told(coded(code), { DATABASE_URL: "sqlite:/x/y.db" })).toBe(
        `DATABASE_URL sqlite:/x/y.db cannot be used: ${code}: something`,
      );
    },
  );

  test("does not repeat the password of a database", () => {
    const DATABASE_URL = "postgres://plants:hunter2@db.example/plants";
    for (const code of ["ENOENT", "EACCES", "EADDRINUSE", "ENOTFOUND"]) {
      expect(told(coded(code), { DATABASE_URL })).not.toContain("hunter2");
    }
  });

  test("for a reason that no setting explains is told as it is", () => {
    const fault = new TypeError("undefined is not a function");
    expect(startProblem(fault, readSettings({}))).toBe(fault);
    expect(startProblem("just a text", readSettings({}))).toBe("just a text");
  });
});
