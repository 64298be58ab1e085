import { expect, test } from "bun:test";
import { Failure } from "#core/failure.ts";
import { requireGoodPassword } from "./password-policy.ts";

function refused(password: string, email = "rosa@example.test"): Promise<boolean> {
  return requireGoodPassword(password, email).then(
    () => false,
    (error) => error instanceof Failure && error.code === "member-invalid",
  );
}

test("8 to 128 characters of any kind are taken, counted as a person counts them", async () => {
  for (const password of ["8 plants", `${"a".repeat(127)}b`, `${"🌱".repeat(124)}soil`, "         ", "päöü1234 "]) {
    expect([password, await refused(password)]).toEqual([password, false]);
  }
  for (const password of ["", "7 plant", "🌱🌱🌱🌱", `${"a".repeat(128)}b`]) {
    const sentence = `The password must have 8 to 128 characters, and has ${[...password].length}`;
    await expect(requireGoodPassword(password, "rosa@example.test")).rejects.toThrow(sentence);
  }
});

test("the most used passwords are refused, in any case", async () => {
  for (const password of ["password", "12345678", "Password1", "QWERTYUIOP", "iloveyou", "trustno1"]) {
    expect([password, await refused(password)]).toEqual([password, true]);
  }
});

test("the shipped list holds at least 3,000 that are long enough to be asked for", async () => {
  const lines = (await Bun.file(`${import.meta.dir}/common-passwords.txt`).text()).trimEnd().split("\n");
  expect(new Set(lines).size).toBe(10_000);
  expect(lines.filter((line) => line.length >= 8 && line === line.toLowerCase())).toHaveLength(10_000);
});

test("words of this place and the account's own address are refused", async () => {
  for (const password of ["plantstore", "Plantstore1!", "plant_store2026", "rosa@example.test"]) {
    expect([password, await refused(password)]).toEqual([password, true]);
  }
  expect(await refused("rosa.green", "rosa.green@example.test")).toBe(true);
});
