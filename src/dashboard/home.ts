/** The overview's address, without the slash that the router would put behind it. */
export const HOME = "~/dashboard";
