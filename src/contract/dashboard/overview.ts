import { z } from "zod";
import { DateTime } from "./fields.ts";
import type { ImportRecord } from "./imports.ts";
import type { TokenRecord } from "./tokens.ts";

/**
 * The figures of the first page, and how the first request of a new account went.
 *
 * - `GET /overview?since=`: 200 Overview; `since`: where the reader's day starts, midnight UTC by default
 * - `GET /first-request?since=`: 200 FirstRequest; cheap, may be asked every second
 */

export const SinceQuery = z.object({ since: DateTime.transform(Date.parse).optional() });

interface CountedError {
  readonly error: number;
  readonly count: number;
}

export type Attention =
  /** Made by somebody who may make none in the store any more; expires within 14 days; or was not used for 90 days. */
  | { readonly kind: "left" | "expiring" | "unused"; readonly token: TokenRecord }
  /** More than 5 % of today's requests were refused; `error` is the most frequent one. `share` is from 0 to 1. */
  | ({ readonly kind: "errors"; readonly share: number } & CountedError);

export interface Overview {
  readonly plants: number;
  readonly creates_today: number;
  readonly errors_today: number;
  /** Null if the role does not show tokens. */
  readonly active_tokens: number | null;
  readonly attention: readonly Attention[];
  /** The newest five imports by pages that wrote something, newest first, without the plants that their undo left. */
  readonly last_imports: readonly ImportRecord[];
}

export interface FirstRequest {
  /** True if a token of this account was ever used, or if there are plants. */
  readonly seen: boolean;
  /** True if a token of this account was ever used. */
  readonly requested: boolean;
  /** The newest plant since then. Its id is a decimal string, since it may be beyond 2^53. */
  readonly plant: {
    readonly id: string;
    readonly name: string;
    readonly tag?: string;
    readonly created_at: string;
  } | null;
  /** The most frequent refusal since then, for the message "your request arrived, and was refused with 40003". */
  readonly refused: CountedError | null;
}
