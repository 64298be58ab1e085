import type { QueryClient } from "@tanstack/react-query";
import type { ImportCount } from "#client/import.ts";
import type { ServiceClient } from "../api/service-client.ts";
import type { Signal } from "../api/signal.ts";
import { counted, formatNumber } from "../text/numbers.ts";
import type { Attention, AttentionList, Choices, Plan } from "./plan.ts";
import type { RowPreview } from "./row-preview.ts";
import type { Reading, Source } from "./source.ts";

/** A file that was read, and what is decided about it. */
export interface Chosen {
  readonly source: Source;
  /** How its reader wants it to be read, where that is not as it was understood. */
  readonly wanted: Partial<Reading>;
  readonly choices: Choices;
  /** Whether existing plants with other texts are updated. */
  readonly existing: "update" | "leave";
}

/**
 * The state of the check of the rows:
 *
 * - `checking` while the file is read whole and the service is asked, which leads to one of the others
 * - `incomplete`: a column is to be chosen; `unnumbered`: no id is free above the greatest
 * - `checked`: the counts are what Import would do; undefined where the service does not foretell them
 * - `failed`: the file could not be read, or the service not asked
 */
export type Check =
  | { readonly name: "checking" }
  | { readonly name: "incomplete" }
  | { readonly name: "unnumbered" }
  | { readonly name: "failed"; readonly cause: unknown }
  | {
      readonly name: "checked";
      readonly plan: Plan;
      readonly counts: Foretold | undefined;
      readonly attention: AttentionList;
      readonly first: RowPreview;
      /** How many plants that would be numbered have a name which is in the store already. */
      readonly namesHere: number;
    };

interface Foretold {
  readonly created: number;
  readonly updated: number;
  readonly unchanged: number;
}

export interface ImportRun {
  readonly counts: Pick<ImportCount, "created" | "unchanged" | "bytes"> & {
    readonly updated: number;
    readonly left: number;
  };
  readonly startedAt: number;
  readonly sizeBytes: number;
  readonly attention: AttentionList;
}

/**
 * The state of the page's import, which goes on when its dialog is left:
 *
 * - `choosing` until a file is read, which leads to `review`, or else to `rejected`
 * - `review` until Import is pressed; meanwhile all that was understood may be changed
 * - `running` until everything is sent, or it is stopped or fails
 * - `done` until the result is closed, or the file is sent again
 */
export type ImportStep =
  | { readonly name: "choosing"; readonly reading?: File }
  | { readonly name: "rejected"; readonly file: File; readonly cause: unknown }
  | { readonly name: "review"; readonly chosen: Chosen; readonly check: Check }
  | {
      readonly name: "running";
      readonly chosen: Chosen;
      readonly plan: Plan;
      readonly importId?: string | undefined;
      readonly run: ImportRun;
      readonly stop: () => void;
    }
  | {
      readonly name: "done";
      readonly chosen: Chosen;
      readonly plan: Plan;
      /** The id by which it can be undone; undefined if it cannot, or did not begin. */
      readonly importId?: string | undefined;
      readonly run: ImportRun;
      readonly outcome: "whole" | "stopped" | "failed";
      readonly cause?: unknown;
    };

export interface ImportPage {
  readonly service: ServiceClient;
  readonly queries: QueryClient;
  readonly importStep: Signal<ImportStep>;
}

/** True while leaving the page would lose a part of the file. */
export function isImporting({ name }: ImportStep): boolean {
  return name === "running";
}

export function countsText({ counts, attention }: ImportRun): string {
  const { created, updated, unchanged, left } = counts;
  const said = [`${counted(created, "plant")} added`];
  if (updated > 0) said.push(`${formatNumber(updated)} updated`);
  if (left > 0) said.push(`${formatNumber(left)} left as they are`);
  if (unchanged > 0) said.push(`${formatNumber(unchanged)} as before`);
  return `${said.join(", ")}${attentionText(attention.lines.size, ", ")}`;
}

/** "2 rows need your attention", after a text if there are any. */
export function attentionText(rows: number, before = ""): string {
  if (rows === 0) return "";
  return `${before}${counted(rows, "row")} ${rows === 1 ? "needs" : "need"} your attention`;
}

export function attentionSentence({ line, reason }: Attention): string {
  return `Line ${formatNumber(line)}: ${reason.replace(/[.!?]$/, "")}.`;
}
