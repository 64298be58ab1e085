import { Hono } from "hono";
import { SignUpForm, type Welcome } from "#contract/dashboard/account.ts";
import { Failure } from "#core/failure.ts";
import type { DashboardContext, DashboardEnv } from "./dashboard-context.ts";
import { readForm } from "./form.ts";
import { setCookies } from "./mount.ts";
import { sessionView } from "./session.ts";

/** Creating an account: the first one by the one-time link, others if sign-up is open. Needs no session. */
export function welcomeRoutes(context: DashboardContext): Hono<DashboardEnv> {
  const routes = new Hono<DashboardEnv>();

  routes.get("/welcome", async (c) => {
    const problem = await context.sessions.signUpProblem(c.req.query("code"));
    const needs_code = context.signup === "first";
    return c.json({
      open: problem === undefined,
      needs_code,
      message: problem ?? "",
      mail: context.sendsMail,
    } satisfies Welcome);
  });

  routes.post("/welcome", async (c) => {
    const { code, email, password, name } = await readForm(c.req.raw, SignUpForm);
    const cookies = await context.sessions.signUp(c.env.client, { code, email, password, name });
    const account = await context.store.accounts.findByEmail(email);
    if (!account) throw new Failure("session-missing", "The account was made, and removed since");
    const answer = c.json(sessionView(context, { account }, c.env.client));
    setCookies(answer.headers, cookies);
    return answer;
  });

  return routes;
}
