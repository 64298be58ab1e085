import { Hono } from "hono";
import { AccountForm, DeleteAccountForm } from "#contract/dashboard/account.ts";
import { Failure } from "#core/failure.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";
import { sessionView } from "./session.ts";

/** The account of the session. */
export function accountRoutes(context: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.patch("/account", async (c) => {
    const { name, email, password, code } = await readForm(c.req.raw, AccountForm);
    const { session } = c.var;
    await context.sessions.changeAccount(c.env.client, session, { name, email, password, code });
    const account = (await context.store.accounts.findById(session.account.id)) ?? session.account;
    return c.json(sessionView(context, { account }, c.env.client));
  });

  routes.post("/account/send-verification", async (c) => {
    await context.mail.askForVerification(c.var.session);
    return c.body(null, 204);
  });

  routes.post("/account/delete", async (c) => {
    const { email, password, code } = await readForm(c.req.raw, DeleteAccountForm);
    const { account } = c.var.session;
    if (email.trim().toLowerCase() !== account.email) {
      throw new Failure("member-invalid", "Type the account's own e-mail address to remove it with everything it has");
    }
    await context.sessions.deleteAccount(c.env.client, c.var.session, { password, code });
    return c.body(null, 204);
  });

  return routes;
}
