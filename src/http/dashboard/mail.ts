import { Hono } from "hono";
import { MailedToken, RecoveryForm, type RecoveryLink, RecoveryRequest } from "#contract/dashboard/account.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";
import { setCookies } from "./mount.ts";

/** Following mailed links, and requesting one. Needs no session. */
export function mailRoutes({ mail }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.post("/recovery", async (c) => {
    const { email } = await readForm(c.req.raw, RecoveryRequest);
    await mail.askForRecovery(c.env.client, email);
    return c.body(null, 204);
  });

  routes.post("/recovery/link", async (c) => {
    const { token } = await readForm(c.req.raw, MailedToken);
    const { account, left } = await mail.inspect(token);
    const { activeTokens: active_tokens, passkeys, webhooks } = left;
    return c.json({ email_verified: account.emailVerified, active_tokens, passkeys, webhooks } satisfies RecoveryLink);
  });

  routes.post("/recovery/password", async (c) => {
    const form = await readForm(c.req.raw, RecoveryForm);
    const { token, password, revoke_tokens, remove_passkeys, disable_webhooks } = form;
    const asked = { revokeTokens: revoke_tokens, removePasskeys: remove_passkeys, disableWebhooks: disable_webhooks };
    const cookies = await mail.recover(c.env.client, token, password, asked);
    const answer = c.body(null, 204);
    setCookies(answer.headers, cookies);
    return answer;
  });

  routes.post("/verify-email", async (c) => {
    const { token } = await readForm(c.req.raw, MailedToken);
    await mail.verify(c.env.client, token);
    return c.body(null, 204);
  });

  return routes;
}
