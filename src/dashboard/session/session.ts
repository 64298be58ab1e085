import { type QueryClient, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import type { SessionView } from "#contract/dashboard/session.ts";
import { RequestFailure } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { useService } from "../program/page-context.tsx";

const KEY = ["session"];
/** Set while this browser may have a session, so that public pages request one only if that is useful. */
const HINT = "plantstore-session";

export function sessionQuery(service: ServiceClient) {
  return {
    queryKey: KEY,
    queryFn: async () => {
      const session = await service.api<SessionView>("GET", "/session").catch((error: unknown) => {
        if (error instanceof RequestFailure && error.status === 401) forgetSession();
        throw error;
      });
      service.proofs.last = session.proof;
      localStorage.setItem(HINT, "yes");
      return session;
    },
    staleTime: Number.POSITIVE_INFINITY,
  };
}

export function useSessionQuery({ enabled = true }: { readonly enabled?: boolean } = {}) {
  return useQuery({ ...sessionQuery(useService()), enabled });
}

export function mayHaveSession(): boolean {
  return localStorage.getItem(HINT) !== null;
}

export function forgetSession(): void {
  localStorage.removeItem(HINT);
}

/** The session, for pages below the gate, which guarantees that there is one. */
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

/** Call the returned function after a sign-in. A different account sees nothing of the previous one. */
export function useSignedIn(): () => Promise<void> {
  const service = useService();
  const queries = useQueryClient();
  return useCallback(async () => {
    const before = queries.getQueryData<SessionView>(KEY);
    service.beginSession();
    const session = await sessionQuery(service).queryFn();
    if (before && before.account.id !== session.account.id) return startAnew("/dashboard");
    keepSession(queries, session);
    service.sessionEnded.set(false);
    void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== KEY[0] && queryKey[0] !== "code" });
  }, [queries, service]);
}

/** Ends the session. The page is reloaded, so that nothing of it stays in memory. */
export async function signOut(service: ServiceClient): Promise<void> {
  await service.request("POST", "/auth/sign-out");
  leave();
}

export function leave(): void {
  forgetSession();
  void startAnew("/dashboard/sign-in");
}

/** Everything that this account typed and read is removed with the document. Never resolves. */
function startAnew(address: string): Promise<never> {
  sessionStorage.clear();
  location.assign(address);
  return new Promise(() => {});
}

/** Opens another document in place of this one. Never resolves, so that the page stays unchanged until it is loaded. */
export function replaceDocument(address: string): Promise<never> {
  location.replace(address);
  return new Promise(() => {});
}

/** The address of the sign-in, which leads back to where the reader was going: the address of this document. */
export function signInAddress(): string {
  const back = location.pathname + location.search;
  return `/dashboard/sign-in${back === "/dashboard" ? "" : `?back=${encodeURIComponent(back)}`}`;
}
