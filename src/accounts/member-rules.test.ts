import { expect, test } from "bun:test";
import { parseMemberRules, roleBy, whyNoRole } from "./member-rules.ts";
import { ProvidedClaims } from "./provided-claims.ts";

const provided = (claims: object) => new ProvidedClaims("ada", { ...claims });
const role = (rules: string, claims: object) => roleBy(parseMemberRules(rules) ?? [], provided(claims));

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

test("a claim may be an address, and a value hold a colon or an equals sign", () => {
  expect(role("https://plants.example/roles:till=editor", { "https://plants.example/roles": ["till"] })).toBe("editor");
  expect(role("entitlements:urn:garden:till=x=developer", { entitlements: ["urn:garden:till=x"] })).toBe("developer");
});

test("a claim may be a path into objects, whose own members alone count", () => {
  const rules = "realm_access.roles:grower=editor";
  expect(role(rules, { realm_access: { roles: ["grower"] } })).toBe("editor");
  expect(role(rules, { "realm_access.roles": ["grower"] })).toBe("editor");
  expect(
    role('resource_access."plants.example".roles:till=viewer', {
      resource_access: { "plants.example": { roles: ["till"] } },
    }),
  ).toBe("viewer");
  for (const claims of [
    { realm_access: ["grower"] },
    { realm_access: "grower" },
    { realm_access: { role: "grower" } },
  ]) {
    expect(role(rules, claims)).toBeUndefined();
  }
  expect(
    role("groups.0:it=owner,constructor.name:Object=owner,__proto__.x:it=owner", { groups: ["it"] }),
  ).toBeUndefined();
});

test("names with dots and colons, and values with commas, stand in double quotes", () => {
  const rules = '"urn:zitadel:iam:org:project:roles":grower=editor, groups:"cn=it,ou=shop"=owner,groups:sales=viewer';
  expect(role(rules, { "urn:zitadel:iam:org:project:roles": { grower: { 1: "shop" } } })).toBe("editor");
  expect(role(rules, { groups: ["cn=it,ou=shop"] })).toBe("owner");
  expect(role(rules, { groups: ["sales"] })).toBe("viewer");
  for (const part of ["cn=it", "ou=shop", '"cn=it,ou=shop"']) expect(role(rules, { groups: [part] })).toBeUndefined();
});

test("texts alone are values, in a list and as the keys of an object: nothing else matches, nor is it an error", () => {
  const rules =
    "c:undefined=owner,c:null=owner,c:[object Object]=owner,c:true=owner,c:1=owner,c:a=owner,c:toString=owner";
  const own = { toString: 1 };
  for (const value of [
    undefined,
    null,
    { x: 1 },
    [{ a: 1 }],
    [["a"]],
    true,
    1,
    [null],
    [undefined],
    [own],
    "a,b",
    [1],
  ]) {
    expect(role(rules, { c: value })).toBeUndefined();
  }
  expect(role("c:x=owner", { c: { x: own } })).toBe("owner");
});

test("the reason why there is no role names the claims that were looked for, and nothing of the person", () => {
  const rules =
    parseMemberRules("groups:it=owner,groups:growers=editor,realm_access.roles:till=viewer,teams:a=viewer") ?? [];
  const claims = provided({ email: "ada@corp.example", groups: ["secret"], _claim_names: { teams: "src1" } });
  expect(whyNoRole(rules, claims)).toBe(
    "OIDC_MEMBERS gives no role: the claim groups matches no value, the claim realm_access.roles is missing, the claim teams was not sent, since it has too many values (_claim_names)",
  );
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
  'groups:"a,b=editor',
  '"groups:a=editor',
  'groups:"a"b=editor',
  "realm_access.:a=editor",
  'groups:a=editor "b"',
])("%p is neither a role nor pairs", (text) => {
  expect(parseMemberRules(text)).toBeUndefined();
});
