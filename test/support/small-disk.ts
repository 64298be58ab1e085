import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { atEnd } from "./at-end.ts";

/** Mounts a disk of that size until the tests end. Returns the reason if that is not possible here. */
export function mountSmallDisk(folder: string, size: string): string | undefined {
  const { success, stderr } = mount("-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder);
  if (!success) return `a small disk cannot be mounted: ${stderr.toString().trim()}`;
  atEnd(() => void Bun.spawnSync(["umount", "-l", folder]));
  return undefined;
}

export function mount(...args: string[]): { success: boolean; stderr: Buffer } {
  try {
    return Bun.spawnSync(["mount", ...args]);
  } catch (error) {
    return { success: false, stderr: Buffer.from(String(error)) };
  }
}

/** Takes the last free pages of the disk, by its file `rest`. */
export function fillDisk(folder: string): void {
  for (let size = 1024 * 1024; size >= 1; size >>= 1) {
    try {
      for (;;) writeFileSync(join(folder, "rest"), Buffer.alloc(size), { flag: "a" });
    } catch {
      // The disk is full for this size, so the next block is smaller.
    }
  }
}
