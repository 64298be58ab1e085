import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { ROOT } from "#test/support/service.ts";

export const FOLDER = join(ROOT, "dist/clients");
const TOOLS = join(FOLDER, "tools");
const BIN = join(TOOLS, "bin");

/** The generators as they were tried. Each is fetched once, into `dist/clients/tools`. */
export const VERSIONS = {
  "openapi-generator": "7.25.0",
  "oapi-codegen": "2.8.2",
  "openapi-python-client": "0.29.1",
  "openapi-typescript": "7.13.0",
  "hey-api": "0.99.0",
  orval: "8.20.0",
} as const;

const JAR = `openapi-generator-cli-${VERSIONS["openapi-generator"]}.jar`;
const JAR_PATH = join(
  homedir(),
  ".m2/repository/org/openapitools/openapi-generator-cli",
  VERSIONS["openapi-generator"],
  JAR,
);

/** The environment in which the commands of the generators find them. */
export function toolEnvironment(): Record<string, string> {
  const paths = [BIN, join(ROOT, "node_modules/.bin"), join(TOOLS, "python/bin"), join(TOOLS, "npm/node_modules/.bin")];
  return { PATH: [...paths, process.env.PATH].join(":"), HOME: homedir(), GOFLAGS: "-buildvcs=false" };
}

/**
 * Fetches the missing tools that can be fetched on this machine; a failure is reported by the generators that need
 * them.
 */
export async function fetchTools(run: (command: string, folder: string) => Promise<unknown>): Promise<void> {
  mkdirSync(BIN, { recursive: true });
  mkdirSync(join(TOOLS, "npm"), { recursive: true });
  const missing: [boolean, string, string][] = [
    [!existsSync(JAR_PATH), "mvn", `mvn -q -B dependency:get -Dtransitive=false -Dartifact=${artifact()}`],
    [
      !existsSync(join(TOOLS, "python/bin/openapi-python-client")),
      "python3",
      `python3 -m venv python && python/bin/pip install -q openapi-python-client==${VERSIONS["openapi-python-client"]}`,
    ],
    [
      !existsSync(join(TOOLS, "npm/node_modules/.bin/orval")),
      "npm",
      `cd npm && echo '{"private":true}' > package.json && npm install --silent --no-audit --no-fund @hey-api/openapi-ts@${VERSIONS["hey-api"]} orval@${VERSIONS.orval}`,
    ],
    [
      !existsSync(join(BIN, "oapi-codegen")),
      "go",
      `GOBIN=${BIN} go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v${VERSIONS["oapi-codegen"]}`,
    ],
  ];
  for (const [isMissing, program, command] of missing) {
    if (isMissing && Bun.which(program)) await run(command, TOOLS).catch((error) => console.error(String(error)));
  }
  writeFileSync(join(BIN, "openapi-generator-cli"), `#!/bin/sh\nexec java -jar ${JAR_PATH} "$@"\n`);
  chmodSync(join(BIN, "openapi-generator-cli"), 0o755);
}

function artifact(): string {
  return `org.openapitools:openapi-generator-cli:${VERSIONS["openapi-generator"]}`;
}
