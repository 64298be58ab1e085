/** The addresses that links of other pages begin with. */
export const DEVELOPER = "/dashboard/developer";
export const SETTINGS = "/dashboard/settings";
