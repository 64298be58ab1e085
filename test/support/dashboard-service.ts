import { startService, type TestService } from "./service.ts";

let shared: Promise<TestService> | undefined;

/** One service for the browser tests that need nothing of their own but an account; it ends with the process. */
export function dashboardService(): Promise<TestService> {
  shared ??= startService().then((service) => {
    process.on("exit", () => service.process.kill("SIGKILL"));
    return service;
  });
  return shared;
}
