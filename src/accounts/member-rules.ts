import { ROLES, type Role } from "#core/role.ts";
import type { Claims } from "./identity-provider.ts";

/** A role that the identity provider gives without an invitation: to everybody, or to people with the value of a claim. */
export interface MemberRule {
  readonly claim: string | undefined;
  readonly value: string;
  readonly role: Role;
}

/** The claim may be an address, such as `https://plants.example/roles`. */
const PAIR = /^((?:https?:\/\/)?[^:]+):(.+)=([^=]+)$/;

/** Reads a role, or `claim:value=role` pairs separated by commas; undefined for any other text. */
export function parseMemberRules(text: string): readonly MemberRule[] | undefined {
  const all = roleNamed(text.trim());
  if (all) return [{ claim: undefined, value: "", role: all }];
  const rules: MemberRule[] = [];
  for (const pair of text.split(",")) {
    const [, claim, value = "", name = ""] = PAIR.exec(pair.trim()) ?? [];
    const role = roleNamed(name);
    if (claim === undefined || role === undefined) return undefined;
    rules.push({ claim, value, role });
  }
  return rules;
}

/** The highest role that the claims give. A claim has one value, or a list of them. */
export function roleBy(rules: readonly MemberRule[], claims: Claims): Role | undefined {
  const given = rules.filter(({ claim, value }) => claim === undefined || valuesOf(claims[claim]).includes(value));
  return ROLES.findLast((role) => given.some((rule) => rule.role === role));
}

function valuesOf(claim: unknown): string[] {
  return (Array.isArray(claim) ? claim : [claim]).map(String);
}

function roleNamed(name: string): Role | undefined {
  return ROLES.find((role) => role === name);
}
