export default {
  plantstore: {
    input: process.env.DOCUMENT,
    output: {
      target: "plantstore.ts",
      client: "fetch",
      baseUrl: { getBaseUrlFromSpecification: true },
      override: { useBigInt: true, fetch: { jsonReviver: { path: "./exact-json.ts", name: "exactIntegers" } } },
    },
  },
};
