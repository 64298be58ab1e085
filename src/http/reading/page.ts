import type { z } from "zod";
import { checked } from "#contract/refused-member.ts";
import { Failure } from "#core/failure.ts";
import type { AccountNumber } from "#core/plant.ts";
import type { Reads } from "#core/reads.ts";
import type { InTurns } from "./in-turns.ts";

export interface PageRequest {
  readonly account: AccountNumber;
  /** The names of the page's parts that the role of who asks may have. */
  readonly parts: readonly string[];
  /** The id of who asks. */
  readonly person: string;
  /** The query of the address, with its question mark if there is one. */
  readonly search: string;
  /** The id in the path, where it has one. */
  readonly id: string | undefined;
  /** The last event, for the page that shows events. */
  readonly newest: bigint | undefined;
}

export interface PageParts {
  readonly reads: Reads;
  /** The number of successful requests of an account that the request log stores in a second; 0 if the log is off. */
  readonly loggedSuccessesMax: number;
}

/** Resolves with an object, or with JSON whose numbers are beyond 2^53. */
export type PageReader = (parts: PageParts, request: PageRequest) => Promise<object | string> | InTurns<object>;

/** Reads a query. Throws "address-malformed"; parameters that the schema does not know are ignored. */
export function readQuery<Schema extends z.ZodObject>(search: string, schema: Schema): z.output<Schema> {
  const parameters = new URLSearchParams(search);
  const query = checked(schema, Object.fromEntries(parameters), "address-malformed");
  const twice = Object.keys(query).find((name) => parameters.getAll(name).length > 1);
  if (twice === undefined) return query;
  throw new Failure("address-malformed", `Cannot take "${twice}": it must be given once`);
}
