import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";

const STAND_IN = join(import.meta.dir, "curl-stand-in.ts");
const { PATH = "" } = process.env;

/** A PATH for the curl lines of the documents. On a machine without curl it leads to a small replacement. */
export const PATH_WITH_CURL = Bun.which("curl") ? PATH : `${standInFolder()}:${PATH}`;

function standInFolder(): string {
  console.log("curl is not installed here, so a small program of the tests runs the curl lines of the documents");
  const folder = mkdtempSync(join(tmpdir(), "plantstore-curl-"));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "curl"), `#!/bin/sh\nexec "${process.execPath}" "${STAND_IN}" "$@"\n`);
  chmodSync(join(folder, "curl"), 0o755);
  return folder;
}
