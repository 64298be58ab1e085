import { type QueryClient, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { z } from "zod";
import { SessionView } from "#contract/dashboard.ts";
import { forgetAccessToken } from "../api/access-token.ts";
import { api, request, sessionEnded } from "../api/request.ts";

const KEY = ["session"];
const query = {
  queryKey: KEY,
  queryFn: () => api("GET", "/session", SessionView),
  staleTime: Number.POSITIVE_INFINITY,
};

export function useSessionQuery() {
  return useQuery(query);
}

/** Who is signed in; only below the gate, which has made sure that somebody is. */
export function useSession(): SessionView {
  return useSuspenseQuery(query).data;
}

export function keepSession(queries: QueryClient, session: SessionView): void {
  queries.setQueryData(KEY, session);
}

/** What is to happen once somebody has signed in; another account than before sees nothing of the first. */
export function useSignedIn(): () => Promise<void> {
  const queries = useQueryClient();
  return useCallback(async () => {
    const before = queries.getQueryData<SessionView>(KEY);
    const session = await api("GET", "/session", SessionView);
    forgetAccessToken();
    if (before && before.account.id !== session.account.id) queries.clear();
    keepSession(queries, session);
    sessionEnded.set(false);
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] });
  }, [queries]);
}

/** Ends the session and forgets everything that was read in it: the page is loaded anew. */
export async function signOut(): Promise<void> {
  await request("POST", "/auth/sign-out", z.unknown());
  leave();
}

export function leave(): void {
  sessionStorage.clear();
  location.assign("/dashboard/sign-in");
}
