/** The collection as Directus' own dashboard would create it, but without the tracking of every change. */
export const plantsCollection = {
  collection: "plants",
  schema: {},
  meta: { accountability: null },
  fields: [
    { field: "id", type: "bigInteger", schema: { is_primary_key: true }, meta: {} },
    { field: "name", type: "text", schema: { is_nullable: false }, meta: {} },
    { field: "tag", type: "text", schema: {}, meta: {} },
  ],
};
