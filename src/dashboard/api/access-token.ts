import { AccessToken } from "#contract/dashboard.ts";
import { serviceNow } from "./clock.ts";
import { api } from "./request.ts";

/** Renewed this long before it ends, so that no request of ours meets its end. */
const MARGIN_MS = 60_000;

let kept: AccessToken | undefined;
let asked: Promise<AccessToken> | undefined;

/** The token with which this page calls /v1 like any client. It is kept in the page's memory alone. */
export async function accessToken(refused?: string): Promise<string> {
  if (kept && kept.token !== refused && Date.parse(kept.expires_at) - MARGIN_MS > serviceNow()) return kept.token;
  asked ??= api("POST", "/access-token", AccessToken).finally(() => {
    asked = undefined;
  });
  kept = await asked;
  return kept.token;
}

export function forgetAccessToken(): void {
  kept = undefined;
}
