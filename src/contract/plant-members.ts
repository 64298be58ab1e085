/** The list for rooms that may not import core. */
export * from "#core/plant-members.ts";
