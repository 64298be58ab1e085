/** The orders that pages of the dashboard have besides those of the API. Programs sort what they export. */
export const SORTED_ORDERS = ["name", "-name", "tag", "-tag"] as const;
export type SortedOrder = (typeof SORTED_ORDERS)[number];

/** So many plants are sorted at most, since no index has them in these orders. */
export const SORTED_PLANTS_MAX = 20_000;
