import { ROLES, type Role } from "#core/role.ts";
import type { ClaimName, ProvidedClaims } from "./provided-claims.ts";

/** A role that the identity provider gives without an invitation: to everybody, or to people with the value of a claim. */
export interface MemberRule {
  readonly claim: ClaimName | undefined;
  readonly value: string;
  readonly role: Role;
}

/** A name in double quotes may hold dots, colons and commas; an address such as `https://plants.example/roles` needs none. */
const SEGMENT = '(?:"[^"]+"|[^".:,]+)';
const CLAIM = `(?:https?://[^":,]+|${SEGMENT}(?:\\.${SEGMENT})*)`;
const PAIR = new RegExp(`\\s*(${CLAIM}):(?:"([^"]+)"|([^",][^,]*))=([a-z]+)\\s*(,|$)`, "y");

/** Reads a role, or `claim:value=role` pairs separated by commas; undefined for any other text. */
export function parseMemberRules(text: string): readonly MemberRule[] | undefined {
  const all = roleNamed(text.trim());
  if (all) return [{ claim: undefined, value: "", role: all }];
  const rules: MemberRule[] = [];
  const pairs = new RegExp(PAIR);
  for (let isLast = false; !isLast; ) {
    const [, claim, quoted, plain = "", name = "", end] = pairs.exec(text) ?? [];
    const role = roleNamed(name);
    if (claim === undefined || role === undefined) return undefined;
    rules.push({ claim: claimName(claim.trim()), value: quoted ?? plain, role });
    isLast = end === "";
  }
  return rules;
}

function claimName(text: string): ClaimName {
  const isAddress = /^https?:/.test(text);
  const segments = isAddress ? [text] : (text.match(new RegExp(SEGMENT, "g")) ?? []);
  const path = segments.map((segment) => segment.replace(/^"(.+)"$/, "$1"));
  return { text: path.join("."), path };
}

/** The highest role that the claims give. */
export function roleBy(rules: readonly MemberRule[], claims: ProvidedClaims): Role | undefined {
  const given = rules.filter(({ claim, value }) => claim === undefined || valuesOf(claims.find(claim)).includes(value));
  return ROLES.findLast((role) => given.some((rule) => rule.role === role));
}

/** Names each claim that was looked for, and why it gives no role; it holds nothing of the person. */
export function whyNoRole(rules: readonly MemberRule[], claims: ProvidedClaims): string {
  const looked = new Map(rules.flatMap(({ claim }) => (claim ? [[claim.text, claim] as const] : [])));
  const reasons = [...looked].map(([text, claim]) => {
    if (claims.isWithheld(claim)) return `the claim ${text} was not sent, since it has too many values (_claim_names)`;
    return `the claim ${text} ${claims.find(claim) === undefined ? "is missing" : "matches no value"}`;
  });
  return `OIDC_MEMBERS gives no role: ${reasons.join(", ")}`;
}

/** A claim holds a text, a list of texts, or an object, whose keys count. Nothing else is a value. */
function valuesOf(claim: unknown): readonly unknown[] {
  if (typeof claim === "string") return [claim];
  if (Array.isArray(claim)) return claim;
  return typeof claim === "object" && claim !== null ? Object.keys(claim) : [];
}

function roleNamed(name: string): Role | undefined {
  return ROLES.find((role) => role === name);
}
