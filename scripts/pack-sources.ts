import { cp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { packageContent } from "./npm-package.ts";
import { ROOT } from "./program-bundle.ts";

/**
 * Lets `npm pack` in the root pack the built program instead of its sources. npm packs what the manifest in the root
 * names, so for as long as it packs (npm's `prepack` to `postpack`) the package's manifest and built files stand there.
 */
const MANIFEST = join(ROOT, "package.json");
const OWN_MANIFEST = join(ROOT, "dist/package.json.sources");
const BUILT = join(ROOT, "lib");

async function before(): Promise<void> {
  const content = await packageContent(join(ROOT, "dist"));
  await rm(BUILT, { recursive: true, force: true });
  await cp(join(content, "lib"), BUILT, { recursive: true });
  await cp(MANIFEST, OWN_MANIFEST);
  // In one step, since a program that runs from these sources may be reading it.
  await rename(join(content, "package.json"), MANIFEST);
}

async function after(): Promise<void> {
  await rename(OWN_MANIFEST, MANIFEST);
  await rm(BUILT, { recursive: true, force: true });
}

await (process.argv[2] === "before" ? before() : after());
