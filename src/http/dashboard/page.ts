import type { InterfaceVersion } from "#contract/version.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { InTurns, Reads } from "#core/reads.ts";

export interface PageRequest {
  readonly account: AccountNumber;
  /** The query of the address, with its question mark if there is one. */
  readonly search: string;
  /** The id in the path, where it has one. */
  readonly id: string | undefined;
  /** The last event, for the page that shows events. */
  readonly newest: bigint | undefined;
}

export interface PageParts {
  readonly reads: Reads;
  readonly versions: readonly InterfaceVersion[];
  /** The number of successful requests of an account that the request log stores in a second; 0 if the log is off. */
  readonly loggedSuccessesMax: number;
}

export type PageReader = (parts: PageParts, request: PageRequest) => Promise<object> | InTurns<object>;
