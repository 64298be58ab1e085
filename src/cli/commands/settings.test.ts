import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { SETTINGS } from "#server/settings.ts";
import { runInProcess } from "#test/support/run-in-process.ts";
import { temporaryFolder } from "#test/support/service.ts";

test("`settings` lists every setting with its value, its source and its meaning, and no secret", async () => {
  const file = join(temporaryFolder(), "plantstore.env");
  writeFileSync(file, "AUDIT_KEPT=30d\nRATE_LIMIT=5\n");
  const secret = "a secret of at least 32 characters";
  const given = { RATE_LIMIT: "7", SECRET: secret, WEBHOOK_PROXY: "http://ann:hunter2@proxy.example" };
  try {
    const { code, out, problem } = await runInProcess(["settings", "--json", "--env-file", file], given);
    expect([code, problem]).toEqual([0, ""]);
    expect(out).not.toContain(secret);
    expect(out).not.toContain("hunter2");
    const listed: { name: string }[] = JSON.parse(out);
    expect(listed.map(({ name }) => name)).toEqual(Object.keys(SETTINGS));
    const meaning = expect.any(String);
    for (const setting of [
      { name: "AUDIT_KEPT", value: "30d", source: "file", meaning },
      { name: "RATE_LIMIT", value: "7", source: "environment", meaning },
      { name: "SECRET", value: "set", source: "environment", meaning },
      { name: "WEBHOOK_PROXY", value: "set", source: "environment", meaning },
      { name: "EVENTS_KEPT", value: "30d", source: "default", meaning },
      { name: "SMTP_URL", value: null, source: "default", meaning },
    ])
      expect(listed).toContainEqual(setting);
  } finally {
    delete process.env.AUDIT_KEPT;
  }
});

test("`settings` names a variable one or two letters off, and ends with 2 for a value that the service would refuse", async () => {
  const { code, out, problem } = await runInProcess(["settings"], { SINGUP: "closed", HOME: "/root", PORT: "many" });
  expect(code).toBe(2);
  expect(out).toMatch(/^PORT +many +environment +The port/m);
  expect(problem).toContain("SINGUP: do you mean SIGNUP?");
  expect(problem).not.toContain("HOME");
  expect(problem).toContain("PORT must be");
});
