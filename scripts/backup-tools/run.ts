import { runAtEnd } from "#test/support/at-end.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { tryLitestream } from "./litestream.ts";
import { startGateway } from "./s3-gateway.ts";
import { tryStore } from "./store.ts";

/** The command that installs each program. Versions that worked are in docs/operations.md. */
const SOURCES: Readonly<Record<string, string>> = {
  versitygw: "go install github.com/versity/versitygw/cmd/versitygw@latest",
  litestream: "go install github.com/benbjohnson/litestream/cmd/litestream@latest",
  age: "apt-get install age",
  zstd: "apt-get install zstd",
};

const missing = Object.keys(SOURCES).filter((program) => !Bun.which(program));
for (const program of missing) console.error(`${program} is not installed: ${SOURCES[program]}`);
if (missing.length > 0) process.exit(2);

try {
  const gateway = await startGateway(temporaryFolder());
  await tryStore(gateway);
  await tryLitestream(gateway);
  console.log("All of it worked.");
} finally {
  await runAtEnd();
}
