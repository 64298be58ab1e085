import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { SessionList } from "#contract/dashboard.ts";
import { api } from "../api/request.ts";

const KEY = ["sessions"];

export function useSessions() {
  return useQuery({ queryKey: KEY, queryFn: async () => (await api("GET", "/sessions", SessionList)).sessions });
}

export function useEndSession() {
  return useSessionsChange((id: string) => api("POST", `/sessions/${id}/end`, z.undefined()));
}

export function useEndOtherSessions() {
  return useSessionsChange(() => api("POST", "/sessions/end-others", z.undefined()));
}

function useSessionsChange<Argument>(change: (argument: Argument) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => queries.invalidateQueries({ queryKey: KEY }) });
}
