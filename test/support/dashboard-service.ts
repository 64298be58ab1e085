import { startService, type TestService } from "./service.ts";

let shared: Promise<TestService> | undefined;

/** One service for all browser tests that need only an account of their own. It ends with the tests. */
export function dashboardService(): Promise<TestService> {
  shared ??= startService({ settings: { WEBHOOK_NETWORKS: "127.0.0.0/8" } });
  return shared;
}
