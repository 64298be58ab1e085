import { Hono } from "hono";
import { SignUpForm, type Welcome } from "#contract/dashboard.ts";
import { Failure } from "#core/failure.ts";
import type { Desk, DeskEnv } from "./desk.ts";
import { readForm } from "./form.ts";
import { setCookies } from "./reply.ts";
import { sessionView } from "./session.ts";

/** Making an account: the first one by the one-time link, others if sign-up is open. No session needed. */
export function welcomeRoutes(desk: Desk): Hono<DeskEnv> {
  const routes = new Hono<DeskEnv>();

  routes.get("/welcome", async (c) => {
    const problem = await desk.sessions.signUpProblem(c.req.query("code"));
    const needs_code = desk.signup === "first";
    return c.json({ open: problem === undefined, needs_code, message: problem ?? "" } satisfies Welcome);
  });

  routes.post("/welcome", async (c) => {
    const { code, email, password, name } = await readForm(c.req.raw, SignUpForm);
    const cookies = await desk.sessions.signUp(c.env.visitor, { code, email, password, name });
    const account = await desk.store.accounts.findByEmail(email);
    if (!account) throw new Failure("session-missing", "The account was made, and removed since");
    desk.log.info({ requestId: c.env.requestId, account: account.id, address: c.env.visitor.address }, "account made");
    const answer = c.json(sessionView(desk, { account }, c.env.visitor));
    setCookies(answer.headers, cookies);
    return answer;
  });

  return routes;
}
