import { afterAll, beforeAll, describe } from "bun:test";
import { ENGINES, type TestEngine } from "./engines.ts";
import { startService, type TestService } from "./service.ts";

/** A group of tests on each engine, with a service of its own. They and their hooks may use it, not the group itself. */
export function describeServices(
  title: string,
  settings: Record<string, string>,
  tests: (service: TestService, engine: TestEngine) => void,
): void {
  describe.each(ENGINES)(title, (engine) => describeOn(engine, settings, tests));
}

/** The same on SQLite alone, where tests beside the code ask both engines already. */
export function describeService(
  title: string,
  settings: Record<string, string>,
  tests: (service: TestService) => void,
): void {
  describe(title, () => describeOn("sqlite", settings, tests));
}

function describeOn(
  engine: TestEngine,
  settings: Record<string, string>,
  tests: (service: TestService, engine: TestEngine) => void,
): void {
  const service = {} as TestService;
  beforeAll(async () => void Object.assign(service, await startService({ engine, settings })));
  afterAll(() => service.stop());
  tests(service, engine);
}
