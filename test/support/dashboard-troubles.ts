import type { Page } from "playwright-core";
import type { DashboardState } from "./dashboard-states.ts";

const USAGE = "**/dashboard/api/usage*";

/** Answers the figures of the Overview with an error of the service, from the next request on. */
async function refuseUsage(page: Page, status: number, error: number, message: string): Promise<void> {
  await page.route(USAGE, (route) =>
    route.fulfill({
      status,
      headers: { "Request-Id": "req_0123456789abcdef" },
      contentType: "application/json",
      body: JSON.stringify({ error, message }),
    }),
  );
  await page.getByText("Hour", { exact: true }).click();
}

/** States of the Overview when something is wrong. */
export const TROUBLES: readonly DashboardState[] = [
  {
    name: "overview-error",
    path: "/developer/overview",
    reach: async (page) => {
      await refuseUsage(page, 503, 50301, "Plantstore is too busy");
      await page.getByRole("alert").waitFor();
    },
    leave: (page) => page.unroute(USAGE),
  },
  {
    name: "offline",
    path: "/developer/overview",
    reach: async (page) => {
      await page.getByRole("heading", { name: "Usage" }).waitFor();
      await page.route("**/{healthz,dashboard/api}**", (route) => route.abort());
      await page.getByText("Hour", { exact: true }).click();
      await page.getByText("does not answer").first().waitFor();
    },
    leave: (page) => page.unrouteAll({ behavior: "ignoreErrors" }),
  },
  {
    name: "session-ended",
    path: "/developer/overview",
    reach: async (page) => {
      await refuseUsage(page, 401, 40150, "Sign in first");
      await page.getByText("Your session has ended").waitFor();
    },
    leave: (page) => page.unroute(USAGE),
  },
];
