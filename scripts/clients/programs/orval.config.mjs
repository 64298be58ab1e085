export default {
  plantstore: {
    input: process.env.DOCUMENT,
    output: { target: "plantstore.ts", client: "fetch", baseUrl: { getBaseUrlFromSpecification: true } },
  },
};
