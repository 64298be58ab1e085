import { z } from "zod";
import type { Actor } from "#core/caller.ts";
import type { LeftReason, UndoState } from "#core/import.ts";
import { FILE_NAME_LENGTH_MAX } from "../limits.ts";

/**
 * Imports by pages, which can be undone for as long as events are kept.
 *
 * - `POST /imports` ImportForm: 200 `{id}`; `/dashboard/api/v1/plants/import` takes that as `import=ID`
 * - `GET /imports`: 200 Imports, the newest 100, newest first
 * - `GET /imports/{id}`: 200 ImportRecord
 * - `GET /imports/{id}/plants?cursor=`: 200, a page of plants as `/v1/plants` has it: those that it wrote and that are there
 * - `POST /imports/{id}/undo`: 202
 */
export const ImportForm = z.object({ file_name: z.string().trim().min(1).max(FILE_NAME_LENGTH_MAX) });

export const ImportedPlantsQuery = z.object({ cursor: z.string().max(100).optional() });

export interface ImportRecord {
  readonly id: string;
  readonly file_name: string;
  readonly at: string;
  readonly by: Actor<"event"> | null;
  readonly counts: { readonly created: number; readonly updated: number };
  /** Null if nobody has asked for it. */
  readonly undo: UndoRecord | null;
}

export interface UndoRecord {
  /** `stopped`: who asked for it may not change plants any more. */
  readonly state: UndoState;
  readonly by: Actor<"event">;
  /** The number of plants that were removed, and of those that have their earlier texts again. */
  readonly removed: number;
  readonly restored: number;
  /** The number of plants that were left, by the reason: somebody changed, removed, or removed and added them since. */
  readonly left: Readonly<Record<LeftReason, number>>;
  /** The first 100 of those left. A plant that is gone has no name. */
  readonly left_plants: readonly { readonly id: string; readonly name: string | null; readonly reason: LeftReason }[];
}

export interface Imports {
  readonly data: readonly ImportRecord[];
}
