/** Apart from the schemas, whose library the page need not load. */
export { targetName } from "#core/audit.ts";
