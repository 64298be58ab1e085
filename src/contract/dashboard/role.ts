/** Apart from the forms, whose library the page need not load. */
export { mayDo, type Right, ROLES, type Role, rolesWith } from "#core/role.ts";
