import { mayDo, type Right, ROLES, type Role } from "#contract/dashboard/role.ts";

/** Set to the reader's role while this browser may have a session, so that pages request only what is of use. */
const HINT = "plantstore-session";
const NO_STORE = "none";

export function mayHaveSession(): boolean {
  return localStorage.getItem(HINT) !== null;
}

/** False if the last page of this browser was not allowed it, so that a new one does not ask in vain while it starts. */
export function mayHaveRight(right: Right): boolean {
  const role = localStorage.getItem(HINT);
  return role !== NO_STORE && !ROLES.some((each) => each === role && !mayDo(each, right));
}

/** Undefined for the role of somebody who belongs to no store. */
export function rememberSession(role: Role | undefined): void {
  localStorage.setItem(HINT, role ?? NO_STORE);
}

export function forgetSession(): void {
  localStorage.removeItem(HINT);
}
