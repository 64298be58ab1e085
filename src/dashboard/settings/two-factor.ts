import { useMutation, useQueryClient } from "@tanstack/react-query";
import { z } from "zod";
import { SessionView, TwoFactorSetup } from "#contract/dashboard.ts";
import { api, request } from "../api/request.ts";
import { keepSession } from "../session/session.ts";

const BackupCodes = z.object({ backupCodes: z.array(z.string()) });

/** Begins; the second factor is on after the first code. */
export function useBeginTwoFactor() {
  return useMutation({
    mutationFn: (password: string) => request("POST", "/auth/two-factor/enable", TwoFactorSetup, { password }),
    gcTime: 0,
  });
}

export function useConfirmTwoFactor() {
  const renew = useRenewedSession();
  return useMutation({
    mutationFn: (code: string) => request("POST", "/auth/two-factor/verify-totp", z.unknown(), { code: code.trim() }),
    onSuccess: renew,
  });
}

export function useEndTwoFactor() {
  const renew = useRenewedSession();
  return useMutation({
    mutationFn: (password: string) => request("POST", "/auth/two-factor/disable", z.unknown(), { password }),
    onSuccess: renew,
  });
}

export function useNewBackupCodes() {
  return useMutation({
    mutationFn: (password: string) =>
      request("POST", "/auth/two-factor/generate-backup-codes", BackupCodes, { password }),
    gcTime: 0,
  });
}

function useRenewedSession() {
  const queries = useQueryClient();
  return async () => {
    keepSession(queries, await api("GET", "/session", SessionView));
    await queries.invalidateQueries({ queryKey: ["sessions"] });
  };
}
