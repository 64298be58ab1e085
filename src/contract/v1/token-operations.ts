import { answer, operations } from "../openapi/operation.ts";

const operation = operations("Tokens", { scopes: [], route: "other" });

export const TOKEN_OPERATIONS = {
  getToken: operation("GET /token", {
    summary: "Read the token that is sent",
    description: "The token of the request and its store, for programs that test their connection.",
    responses: {
      "200": answer("The token.", "SentToken", {
        example: {
          id: "tok_0ab7cd4ff39244ec937c1fbb728e73a9",
          name: "Nightly sync",
          scopes: ["plants:read", "plants:write"],
          expires_at: null,
          store: { id: "6a4b8a51-3b1f-4c0e-8f4e-2d0f5b6c7d8e", name: "Plant shop", test: false },
        },
        headers: { "Cache-Control": "`no-store`." },
      }),
    },
  }),
};
