import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import {
  type NewTokenForm,
  NewTokenSecret,
  type RenameForm,
  type RollForm,
  TokenList,
  TokenRecord,
} from "#contract/dashboard.ts";
import { api } from "../api/request.ts";

const KEY = ["tokens"];
/** So that "last used" follows what happens. */
const RENEWED_MS = 10_000;

export function useTokens() {
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await api("GET", "/tokens", TokenList)).tokens,
    refetchInterval: RENEWED_MS,
  });
}

export function useCreateToken() {
  return useTokenChange((form: NewTokenForm) => api("POST", "/tokens", NewTokenSecret, form));
}

export function useRenameToken(id: string) {
  return useTokenChange((form: RenameForm) => api("PATCH", `/tokens/${id}`, TokenRecord, form));
}

export function useRollToken(id: string) {
  return useTokenChange((form: RollForm) => api("POST", `/tokens/${id}/roll`, NewTokenSecret, form));
}

export function useRevokeToken(id: string) {
  return useTokenChange(() => api("POST", `/tokens/${id}/revoke`, TokenRecord));
}

/** A secret that comes back is given to the caller and dropped: no cache keeps it. */
function useTokenChange<Form, Answer>(change: (form: Form) => Promise<Answer>) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: change,
    gcTime: 0,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: KEY });
      void queries.invalidateQueries({ queryKey: ["overview"] });
    },
  });
}
