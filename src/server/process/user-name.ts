import { readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";

const USERS = "/etc/passwd";

/** Reads the system's list of users, because the runtime only reads USER, which jobs and containers may lack. */
export function ownUserName(users = USERS): string {
  const uid = process.getuid?.() ?? -1;
  return listedName(uid, users) || process.env.USER || `user ${uid}`;
}

/** The user who typed the command: behind root, the one whom `sudo` names. */
export function typingUserName(users = USERS): string {
  const { SUDO_USER } = process.env;
  return (process.getuid?.() === 0 && SUDO_USER) || ownUserName(users);
}

/** The name of the user with that number, or the number. */
export function userName(uid: number): string {
  return listedName(uid, USERS) ?? String(uid);
}

/** Undefined too where the list is missing, or kept from this process. */
function listedName(uid: number, users: string): string | undefined {
  try {
    const lines = readFileSync(users, "utf8").split("\n");
    return lines.map((line) => line.split(":")).find(([, , id]) => id === String(uid))?.[0];
  } catch {
    return undefined;
  }
}

/** Why a file or folder cannot be used, for the end of a sentence that begins with its path: the cause, whose it is, and whose this process. */
export function fileProblem(path: string, error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "ENOENT") return "does not exist";
  if (code === "ENOSPC") return "has no space left on its disk";
  if (code === "EROFS") {
    return "is on a disk that cannot be written (under systemd: add it to ReadWritePaths of the unit)";
  }
  if (code !== "EACCES" && code !== "EPERM") return `cannot be used: ${message}`;
  const found = owned(path);
  const whose = found === undefined ? "" : `: ${found.path} belongs to ${userName(found.uid)}`;
  return `is not open to the user ${ownUserName()}${whose}`;
}

/** The path, or the nearest folder above it that can be seen. */
function owned(path: string): { readonly path: string; readonly uid: number } | undefined {
  try {
    return { path, uid: statSync(path).uid };
  } catch {
    return path === dirname(path) ? undefined : owned(dirname(path));
  }
}
