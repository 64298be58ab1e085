import { Hono } from "hono";
import { RecoveryForm, RecoveryRequest, VerificationForm } from "#contract/dashboard/account.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";

/** Following mailed links, and requesting one. Needs no session. */
export function mailRoutes({ mail }: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.post("/recovery", async (c) => {
    const { email } = await readForm(c.req.raw, RecoveryRequest);
    await mail.askForRecovery(c.env.client, email);
    return c.body(null, 204);
  });

  routes.post("/recovery/password", async (c) => {
    const { token, password } = await readForm(c.req.raw, RecoveryForm);
    await mail.recover(c.env.client, token, password);
    return c.body(null, 204);
  });

  routes.post("/verify-email", async (c) => {
    const { token } = await readForm(c.req.raw, VerificationForm);
    await mail.verify(c.env.client, token);
    return c.body(null, 204);
  });

  return routes;
}
