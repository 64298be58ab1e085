import { QueryClient } from "@tanstack/react-query";
import { connectionLost } from "./api/connection.ts";
import { shownFailure } from "./api/failure.ts";

const STALE_MS = 10_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: STALE_MS,
      // Without an answer the connection bar goes on asking; what was refused would be refused again.
      retry: false,
      networkMode: "always",
    },
    mutations: { retry: false, networkMode: "always" },
  },
});

/** Once the service answers again, what had failed for it is asked for again. */
connectionLost.subscribe(() => {
  if (connectionLost.get()) return;
  void queries.invalidateQueries({
    predicate: ({ state }) => state.error !== null && shownFailure(state.error).unreachable,
  });
});
