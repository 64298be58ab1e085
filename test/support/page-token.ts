import type { Page } from "playwright-core";

/** A token of the page's account, for requests of a program. The page must be signed in and on the service's host. */
export function pageToken(page: Page, name = "Till", days: number | null = null): Promise<string> {
  const expiresAt = days === null ? null : new Date(Date.now() + days * 86_400_000).toISOString();
  const form = { name, scopes: ["plants:read", "plants:write"], expires_at: expiresAt };
  return page.evaluate(async (body) => {
    const init = { method: "POST", headers: { "Content-Type": "application/json" }, body };
    return (await (await fetch("/dashboard/api/tokens", init)).json()).secret as string;
  }, JSON.stringify(form));
}
