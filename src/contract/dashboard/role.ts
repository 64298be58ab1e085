/** The roles stand apart from the forms, so that the page need not load the library of those. */
export { mayDo, type Right, ROLES, type Role, rolesWith } from "#core/role.ts";
