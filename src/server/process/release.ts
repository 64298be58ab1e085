import { version } from "#package.json";
import { BUNDLED_COMMIT } from "./packed.ts";

/** The release of this program. The interface that it serves has a version of its own. */
export const RELEASE: string = version;

/** The information printed by `plantstore --version --json`. */
export function releaseInfo() {
  return {
    version: RELEASE,
    commit: BUNDLED_COMMIT ?? checkedOutCommit(),
    runtime: process.versions.bun ? `bun ${process.versions.bun}` : `node ${process.versions.node}`,
    os: process.platform,
    arch: process.arch,
  };
}

/** Null if the sources are not in a repository. */
function checkedOutCommit(): string | null {
  try {
    const git = Bun.spawnSync(["git", "rev-parse", "HEAD"], { cwd: import.meta.dir, stderr: "ignore" });
    return git.success ? git.stdout.toString().trim() : null;
  } catch {
    return null;
  }
}
