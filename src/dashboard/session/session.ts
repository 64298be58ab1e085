import { type QueryClient, useQuery, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useCallback } from "react";
import { DASHBOARD_ERRORS } from "#contract/dashboard/errors.ts";
import { mayDo, type Right } from "#contract/dashboard/role.ts";
import type { SessionView } from "#contract/dashboard/session.ts";
import { RequestFailure } from "../api/failure.ts";
import type { ServiceClient } from "../api/service-client.ts";
import { SESSION_KEY as KEY, useService } from "../program/page-context.tsx";
import { forgetSession, rememberSession } from "./session-hint.ts";
import { forgetStore, rememberStore } from "./store.ts";

/** How often the progress of emptying a store is read. */
const EMPTYING_MS = 1000;

export function sessionQuery(service: ServiceClient) {
  return {
    queryKey: KEY,
    queryFn: async () => {
      const session = await service.api<SessionView>("GET", "/session").catch((error: unknown) => {
        if (error instanceof RequestFailure && error.status === 401) forgetSession();
        throw error;
      });
      service.proofs.last = session.proof;
      service.store = session.store?.id;
      service.factorMissing.set(false);
      rememberSession(session.store?.role);
      return session;
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: ({ state }: { readonly state: { readonly data?: SessionView } }) =>
      state.data?.store?.emptying ? EMPTYING_MS : (false as const),
  };
}

export function useSessionQuery({ enabled = true }: { readonly enabled?: boolean } = {}) {
  return useQuery({ ...sessionQuery(useService()), enabled });
}

/** Asks anew, for a page that needs no session. */
export function isSignedIn(service: ServiceClient): Promise<boolean> {
  return sessionQuery(service)
    .queryFn()
    .then(Boolean, () => false);
}

/** The session, for pages below the gate, which guarantees that there is one. */
export function useSession(): SessionView {
  return useSuspenseQuery(sessionQuery(useService())).data;
}

export function useSessionIfAny(): SessionView | undefined {
  return useSessionQuery({ enabled: false }).data;
}

/** Says what the reader's role in the store of this document allows. Without a right to have, everybody has it. */
export function useMay(): (right: Right | undefined) => boolean {
  const role = useSessionIfAny()?.store?.role;
  return (right) => right === undefined || (role !== undefined && mayDo(role, right));
}

export function isStoreUnknown(cause: unknown): boolean {
  return cause instanceof RequestFailure && cause.error === DASHBOARD_ERRORS["resource-unknown"].error;
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
    const session = await sessionQuery(service)
      .queryFn()
      .catch((cause: unknown) => (isStoreUnknown(cause) ? startAnew("/dashboard") : Promise.reject(cause)));
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

/** Shows a store in this browser from now on, in a new document. Never resolves. */
export function openStore(id: string): Promise<never> {
  rememberStore(id);
  return startAnew(`/dashboard?store=${id}`);
}

/** Leaves a store to which the reader does not belong (any more). Never resolves. */
export function leaveStore(): Promise<never> {
  forgetStore();
  return startAnew("/dashboard");
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
