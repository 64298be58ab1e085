import { expect, test } from "bun:test";
import { parseMemberRules, roleBy } from "./member-rules.ts";

const role = (rules: string, claims: object) => roleBy(parseMemberRules(rules) ?? [], { ...claims });

test("one role is everybody's", () => {
  expect([role("viewer", {}), role(" owner ", { groups: "none" })]).toEqual(["viewer", "owner"]);
});

test("of several pairs the highest role wins, wherever it stands", () => {
  const rules = "groups:it=owner,groups:growers=editor, groups:everybody=viewer";
  expect(role(rules, { groups: ["everybody", "it", "growers"] })).toBe("owner");
  expect(role(rules, { groups: ["everybody", "growers"] })).toBe("editor");
  expect(role(rules, { groups: "growers" })).toBe("editor");
  for (const claims of [{}, { groups: [] }, { groups: "grower" }, { groups: null }, { roles: ["it"] }]) {
    expect(role(rules, claims)).toBeUndefined();
  }
});

test("a claim may be an address, and a value hold a colon, an equals sign or no text", () => {
  expect(role("https://plants.example/roles:till=editor", { "https://plants.example/roles": ["till"] })).toBe("editor");
  expect(role("entitlements:urn:garden:till=x=developer", { entitlements: ["urn:garden:till=x"] })).toBe("developer");
  expect(role("email_verified:true=viewer", { email_verified: true })).toBe("viewer");
});

test.each([
  "",
  "admin",
  "none",
  "groups=editor",
  "groups:growers",
  "groups:growers=boss",
  "groups:a=editor,",
  ":a=editor",
])("%p is neither a role nor pairs", (text) => {
  expect(parseMemberRules(text)).toBeUndefined();
});
