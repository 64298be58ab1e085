import { type QueryClient, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import type { SessionView } from "#contract/dashboard/session.ts";
import type { Service } from "../api/service.ts";
import { type PageContext, useService } from "../page-context.tsx";

const KEY = ["session"];
/** Set while this browser may have a session, so that public pages ask for one only if it is worth it. */
const HINT = "plantstore-session";

function sessionQuery(service: Service) {
  return {
    queryKey: KEY,
    queryFn: async () => {
      const session = await service.api<SessionView>("GET", "/session");
      localStorage.setItem(HINT, "yes");
      return session;
    },
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function useSessionQuery({ enabled = true }: { readonly enabled?: boolean } = {}) {
  return useQuery({ ...sessionQuery(useService()), enabled });
}

export function prefetchSession({ queries, service }: PageContext): Promise<void> {
  return queries.prefetchQuery(sessionQuery(service));
}

export function mayHaveSession(): boolean {
  return localStorage.getItem(HINT) !== null;
}

/** The session, for pages below the gate, which has made sure that there is one. */
export function useSession(): SessionView {
  return useSuspenseQuery(sessionQuery(useService())).data;
}

/** The session if there is one, for pages that everybody may read. */
export function useSessionIfAny(): SessionView | undefined {
  return useSessionQuery({ enabled: false }).data;
}

export function keepSession(queries: QueryClient, session: SessionView): void {
  queries.setQueryData(KEY, session);
}

/** To be called after a sign-in. Another account than before sees nothing of the first. */
export function useSignedIn(): () => Promise<void> {
  const service = useService();
  const queries = useQueryClient();
  return useCallback(async () => {
    const before = queries.getQueryData<SessionView>(KEY);
    service.forgetAccessToken();
    const session = await sessionQuery(service).queryFn();
    if (before && before.account.id !== session.account.id) return startAnew();
    keepSession(queries, session);
    service.sessionEnded.set(false);
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] && queryKey[0] !== "code" });
  }, [queries, service]);
}

/** For another account than before: what the first one typed and read goes with the document. Never resolves. */
function startAnew(): Promise<never> {
  sessionStorage.clear();
  location.assign("/dashboard");
  return new Promise(() => {});
}

/** Ends the session. The page is loaded anew, so that nothing of it stays in memory. */
export async function signOut(service: Service): Promise<void> {
  await service.request("POST", "/auth/sign-out");
  leave();
}

export function leave(): void {
  localStorage.removeItem(HINT);
  sessionStorage.clear();
  location.assign("/dashboard/sign-in");
}
