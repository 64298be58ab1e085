/** The targets stand apart from the schemas, so that the page need not load the library of those. */
export { targetName } from "#core/audit.ts";
