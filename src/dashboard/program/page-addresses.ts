/** The beginnings of addresses that other pages link to. */
export const PLANTS = "/dashboard/plants";
export const DEVELOPER = "/dashboard/developer";
export const SETTINGS = "/dashboard/settings";
