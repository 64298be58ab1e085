import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { addPasskey } from "../api/passkey.ts";
import { request } from "../api/request.ts";

const KEY = ["passkeys"];
const Passkey = z.object({
  id: z.string(),
  name: z.string().nullish(),
  createdAt: z.iso.datetime({ offset: true }).nullish(),
});

export function usePasskeys() {
  return useQuery({
    queryKey: KEY,
    queryFn: () => request("GET", "/auth/passkey/list-user-passkeys", z.array(Passkey)),
  });
}

export function useAddPasskey() {
  return usePasskeysChange((name: string) => addPasskey(name));
}

export function useRemovePasskey() {
  return usePasskeysChange((id: string) => request("POST", "/auth/passkey/delete-passkey", z.unknown(), { id }));
}

function usePasskeysChange(change: (argument: string) => Promise<unknown>) {
  const queries = useQueryClient();
  return useMutation({ mutationFn: change, onSuccess: () => queries.invalidateQueries({ queryKey: KEY }) });
}
