import { describe, expect, test } from "bun:test";
import { chownSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UnusableFile } from "#storage/sqlite/connection.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { readSettings } from "../settings.ts";
import { startProblem } from "./start-problem.ts";
import { ownUserName } from "./user-name.ts";

function coded(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code}: something`), { code, ...more });
}

async function told(error: unknown, environment: Record<string, string> = {}): Promise<string> {
  const problem = await startProblem(error, readSettings(environment));
  return problem instanceof Error ? problem.message : String(problem);
}

describe("a start that fails", () => {
  test.each([
    coded("EADDRNOTAVAIL"),
    coded("ENOTFOUND"),
    coded("EAI_AGAIN"),
    coded("EACCES", { syscall: "listen" }),
    coded("EINVAL", { syscall: "getaddrinfo" }),
  ])("names a host that cannot be listened on (%#)", async (error) => {
    expect(await told(error, { HOST: "no.such.host" })).toBe("HOST no.such.host with PORT 3000 cannot be listened on");
  });

  test("at a port that only few may listen on says both ways out", async () => {
    const refused = coded("EACCES", { syscall: "listen", setting: "HTTP_PORT" });
    expect(await told(refused, { DOMAIN: "plants.example.com" })).toMatch(
      /^HTTP_PORT 80 is refused .*CAP_NET_BIND_SERVICE.*above 1023/,
    );
    expect(await told(coded("EACCES", { syscall: "listen" }), { PORT: "443" })).toStartWith(
      "PORT 443 is refused by the system",
    );
  });

  test.each(["EACCES", "EROFS", "ENOTDIR", "ENOSPC", "EISDIR", "ENOENT", "EIO"])(
    "names the database's file where it cannot be used (%s)",
    async (code) => {
      expect(await told(coded(code), { DATABASE_URL: "sqlite:/x/y.db" })).toBe(
        `DATABASE_URL sqlite:/x/y.db cannot be used: ${code}: something`,
      );
    },
  );

  test("at a database of another user names both users", async () => {
    const isRoot = process.getuid?.() === 0;
    const path = isRoot ? join(temporaryFolder(), "plantstore.db") : "/etc/passwd";
    if (isRoot) {
      writeFileSync(path, "");
      chownSync(path, 65534, 65534);
    }
    const refused = new UnusableFile("it has numbers", { cause: coded("EACCES", { path }) });
    expect(await told(refused)).toBe(
      `DATABASE_URL cannot be used: ${path} is not open to the user ${ownUserName()}: ${path} belongs to ${isRoot ? "nobody" : "root"}`,
    );
  });

  test("does not repeat the password of a database", async () => {
    const DATABASE_URL = "postgres://plants:hunter2@db.example/plants";
    for (const code of ["ENOENT", "EACCES", "EADDRINUSE", "ENOTFOUND"]) {
      expect(await told(coded(code), { DATABASE_URL })).not.toContain("hunter2");
    }
  });

  test("at a port in use says whether a Plantstore has it, and of which user", async () => {
    const headers = { "Plantstore-Database": "of another service" };
    using own = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("", { headers }) });
    using other = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("") });
    const me = Bun.spawnSync(["id", "-un"]).stdout.toString().trim();
    expect(await told(coded("EADDRINUSE"), { PORT: String(own.port) })).toBe(
      `PORT ${own.port} on HOST 127.0.0.1 is in use by another program, a Plantstore of the user ${me}: stop it, or choose another port`,
    );
    expect(await told(coded("EADDRINUSE"), { PORT: String(other.port) })).toEndWith("is in use by another program");
  });

  test("for a reason that no setting explains is told as it is", async () => {
    const fault = new TypeError("undefined is not a function");
    expect(await startProblem(fault, readSettings({}))).toBe(fault);
    expect(await startProblem("just a text", readSettings({}))).toBe("just a text");
  });
});
