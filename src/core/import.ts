import type { Actor } from "./caller.ts";
import { Failure } from "./failure.ts";

/** An import by a page, which may be undone. An import by a token has none. */
export interface PlantImport {
  /** It begins with `imp_`. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly by: Actor<"event"> | undefined;
  readonly fileName: string;
  readonly counts: ImportCounts;
  /** Undefined until somebody asks to undo it. */
  readonly undo: ImportUndo | undefined;
}

/** Of an address, or of a record that names the import. */
export function importUnknown(
  id: string,
  code: "resource-unknown" | "address-malformed" = "resource-unknown",
): Failure {
  return new Failure(code, `This store has no import ${id.slice(0, 100)}, or it is too old to be undone`);
}

/** The records that created or changed a plant. */
export interface ImportCounts {
  readonly created: number;
  readonly updated: number;
}

/** `stopped`: who asked for it may not change the store's plants any more. It goes on when somebody asks again. */
export type UndoState = "running" | "done" | "stopped";

/** `changed`: somebody changed it since. `removed`, `replaced`: somebody removed it, and perhaps added it again. */
export type LeftReason = "changed" | "removed" | "replaced";

/** The progress of an undo, with the numbers of plants that it removed, restored and left. */
export interface ImportUndo {
  readonly state: UndoState;
  readonly by: Actor<"event">;
  /** Everything up to this number of an event is done. */
  readonly position: bigint;
  readonly removed: number;
  readonly restored: number;
  readonly left: Readonly<Record<LeftReason, number>>;
  /** The first 100 plants that were left. */
  readonly leftPlants: readonly LeftPlant[];
}

export interface LeftPlant {
  readonly id: bigint;
  /** Its first 200 characters; undefined for a plant that is gone. */
  readonly name: string | undefined;
  readonly reason: LeftReason;
}

export const LEFT_PLANTS_MAX = 100;
export const LEFT_NAME_LENGTH_MAX = 200;

/** The mark of the events of an undo: it tells them from those of its import, and from what others did. */
export function undoMark(importId: string): string {
  return `${importId}/undo`;
}

export function newUndo(by: Actor<"event">): ImportUndo {
  const left = { changed: 0, removed: 0, replaced: 0 };
  return { state: "running", by, position: 0n, removed: 0, restored: 0, left, leftPlants: [] };
}
