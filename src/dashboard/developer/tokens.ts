import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { TokenList, TokenRecord } from "#contract/dashboard/tokens.ts";
import type { Service } from "../api/service.ts";
import type { ShownSecret } from "../components/secret-dialog.tsx";
import { useService } from "../program/page-context.tsx";

const KEY = ["tokens"];
/** Refreshed often enough for "last used". */
const RENEWED_MS = 10_000;

export function useTokens() {
  const service = useService();
  return useQuery({
    queryKey: KEY,
    queryFn: async () => (await service.api<TokenList>("GET", "/tokens")).tokens,
    refetchInterval: RENEWED_MS,
  });
}

/** A change of tokens. A secret in the answer is only for the caller, and is not cached. */
export function useTokenChange<Form, Answer>(change: (service: Service, form: Form) => Promise<Answer>) {
  const service = useService();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (form: Form) => change(service, form),
    gcTime: 0,
    onSuccess: () => {
      void queries.invalidateQueries({ queryKey: KEY });
      void queries.invalidateQueries({ queryKey: ["overview"] });
    },
  });
}

export function shownToken(secret: string): ShownSecret {
  return {
    what: "token",
    title: "Your new token",
    warning: "Copy it now: it is not shown again. Whoever has it can act for you, so keep it as you would a password.",
    values: [secret],
    file: {
      name: "plantstore.env",
      label: "Download .env",
      content: `PLANTSTORE_URL=${location.origin}\nPLANTSTORE_TOKEN=${secret}\n`,
    },
  };
}

/** A token that was replaced by a roll works until its overlap ends. */
export function isReplaced({ state, revoked_at }: TokenRecord): boolean {
  return state === "active" && revoked_at !== null;
}
