import { Hono } from "hono";
import { AccountForm, DeleteAccountForm } from "#contract/dashboard.ts";
import { Failure } from "#core/failure.ts";
import type { Desk, DeskEnv } from "./desk.ts";
import { readForm } from "./form.ts";
import { sessionView } from "./session.ts";

/** The reader's own account. */
export function accountRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();

  routes.patch("/account", async (c) => {
    const { name, email, password } = await readForm(c.req.raw, AccountForm);
    const { session } = c.var;
    await desk.sessions.changeAccount(session, { name, email, password });
    const account = (await desk.store.accounts.findById(session.account.id)) ?? session.account;
    return c.json(sessionView(desk, { account }, c.env.visitor));
  });

  routes.post("/account/delete", async (c) => {
    const { email, password } = await readForm(c.req.raw, DeleteAccountForm);
    const { account } = c.var.session;
    if (email.trim().toLowerCase() !== account.email) {
      throw new Failure("member-invalid", "Type the account's own e-mail address to remove it with everything it has");
    }
    await desk.sessions.deleteAccount(c.var.session, password);
    desk.log.info(
      { requestId: c.env.requestId, account: account.id, address: c.env.visitor.address },
      "account removed",
    );
    return c.body(null, 204);
  });

  return routes;
}
