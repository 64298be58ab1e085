import { chownSync, cpSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ROOT } from "./service.ts";

/** The user of the image. */
const USER = 65532;

/** The image of `deploy/Containerfile`, as far as it can be run without a container engine. */
export interface EmulatedImage {
  /** The command line that runs the program in it. */
  readonly command: readonly string[];
  /** The settings of the image. */
  readonly settings: Readonly<Record<string, string>>;
}

/**
 * Puts the program and the C library's files that it needs into a folder, and gives the command that runs it there: by
 * chroot, as the image's user, with a read-only root, /proc, /dev and a /data that it may write. Gives a reason where the
 * system does not allow that.
 */
export function emulateImage(program: string, folder: string): EmulatedImage | string {
  for (const needed of ["unshare", "chroot", "mount", "ldd"]) if (!Bun.which(needed)) return `there is no ${needed}`;
  for (const name of ["proc", "dev", "data"]) mkdirSync(join(folder, name), { recursive: true });
  cpSync(program, join(folder, "plantstore"));
  const listed = Bun.spawnSync(["ldd", program]).stdout.toString();
  for (const [path] of listed.matchAll(/\/\S+\.so\S*/g)) {
    mkdirSync(join(folder, dirname(path)), { recursive: true });
    cpSync(path, join(folder, path), { dereference: true });
  }
  const command = ["unshare", "--mount", "sh", "-c", ENTER, folder, String(USER)];
  const tried = Bun.spawnSync([...command, "--version"]);
  if (!tried.success) return tried.stderr.toString().trim();
  chownSync(join(folder, "data"), USER, USER);
  const lines = readFileSync(join(ROOT, "deploy/Containerfile"), "utf8").matchAll(/^ENV (\w+)=(.*)$/gm);
  return { command, settings: Object.fromEntries([...lines].map(([, name, value]) => [name, value])) };
}

const ENTER = `
set -e
mount --bind "$0" "$0"
mount --bind /proc "$0/proc"
mount --rbind /dev "$0/dev"
mount --bind "$0/data" "$0/data"
mount -o remount,bind,ro "$0"
user=$1; shift
exec chroot --userspec="$user:$user" "$0" /plantstore "$@"`;
