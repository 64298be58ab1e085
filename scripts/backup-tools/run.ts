import { runAtEnd } from "#test/support/at-end.ts";
import { temporaryFolder } from "#test/support/service.ts";
import { PROGRAM_SOURCES } from "../foreign-programs.ts";
import { tryLitestream } from "./litestream.ts";
import { startGateway } from "./s3-gateway.ts";
import { tryStore } from "./store.ts";

/** Versions that worked are in docs/operations.md. */
const NEEDED = ["versitygw", "litestream", "age", "zstd"];

const missing = NEEDED.filter((program) => !Bun.which(program));
for (const program of missing) console.error(`${program} is not installed: ${PROGRAM_SOURCES[program]}`);
if (missing.length > 0) process.exit(2);

try {
  const gateway = await startGateway(temporaryFolder());
  await tryStore(gateway);
  await tryLitestream(gateway);
  console.log("All of it worked.");
} finally {
  await runAtEnd();
}
