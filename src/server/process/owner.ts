import { chownSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { HANDOVER, type Handover } from "./handover.ts";
import { ownCommand } from "./own-process.ts";
import { typingUserName, userName } from "./user-name.ts";

interface Owner {
  readonly uid: number;
  readonly gid: number;
}

/** The file's owner, if this process runs as root and the owner is somebody else. */
export function otherOwner(path: string): Owner | undefined {
  if (process.getuid?.() !== 0 || !existsSync(path)) return undefined;
  const { uid, gid } = statSync(path);
  return uid === 0 ? undefined : { uid, gid };
}

/** Makes the folder that a command will write to for the owner, since they may make none where root may. */
export function makeFolderFor({ uid, gid }: Owner, path: string): void {
  if (existsSync(path)) return;
  mkdirSync(path, { mode: 0o700 });
  chownSync(path, uid, gid);
}

interface Paths {
  /** Those that root alone may be able to read. */
  readonly read: readonly string[];
  /** A new file in a folder in which root alone may be able to write. */
  readonly written?: string | undefined;
}

/**
 * Runs this command again as the owner of the database, since files that root makes beside it would stop the service, and
 * returns the exit code. The files of `paths` are opened by root. Throws one line if the system does not let it.
 */
export function runAsOwner(database: string, { uid, gid }: Owner, paths: Paths): number {
  const name = userName(uid);
  // Only a user of the system's list has further groups.
  const groups = name === String(uid) ? "--clear-groups" : "--init-groups";
  const asOwner = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, groups, "--"];
  const trial = Bun.which("setpriv") ? Bun.spawnSync([...asOwner, ...ownCommand("--version")]) : undefined;
  if (trial?.exitCode !== 0) {
    const reason = trial ? trial.stderr.toString().trim().split("\n").at(-1) : "there is no setpriv";
    throw new Error(
      `${database} belongs to the user ${name}, and this command was run as root, which cannot run it as ${name} (${reason}): run it as ${name}`,
    );
  }
  const read = paths.read.filter(existsSync).map((path) => [path, openSync(path, "r")] as const);
  const written = paths.written === undefined ? [] : [[paths.written, openSync(paths.written, "wx", 0o600)] as const];
  const opened = [...read, ...written];
  const files = Object.fromEntries(opened.map(([path], index) => [path, 3 + index]));
  const handed: Handover = { typedBy: typingUserName(), files };
  try {
    const { exitCode } = Bun.spawnSync([...asOwner, ...ownCommand(...process.argv.slice(2))], {
      // A folder for root's own temporary files is closed to others.
      env: { ...process.env, TMPDIR: undefined, [HANDOVER]: JSON.stringify(handed) },
      stdio: ["inherit", "inherit", "inherit", ...opened.map(([, file]) => file)],
    });
    return exitCode;
  } finally {
    for (const [, file] of opened) closeSync(file);
  }
}
