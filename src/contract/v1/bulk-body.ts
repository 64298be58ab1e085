import { errorMeaning } from "../errors.ts";
import { BULK_ERRORS } from "../limits.ts";
import { readCount, readOneOf, readParameters } from "../parameters.ts";
import type { BulkReport } from "./bulk-report.ts";

export function bulkBody({ counts, failed, errors }: BulkReport): string {
  const refused = errors.map(({ line, failure }) => ({
    line,
    error: errorMeaning(failure.code).error,
    message: failure.message,
  }));
  return JSON.stringify({ ...counts, failed, errors: refused });
}

interface RemovalQuery {
  /** The maximum number of refusals in the answer. */
  readonly errorsMax: number;
  /** True if nothing is to be written. */
  readonly isDry: boolean;
}

interface ImportQuery extends RemovalQuery {
  readonly existing: "refuse" | "update";
  /** The id of an import by a page. */
  readonly import: string | undefined;
}

const IMPORT_PARAMETERS = ["existing", "dry_run", "errors_max"] as const;

/** Reads the raw query of an import; one that `takesImport` may be one that can be undone. Throws "address-malformed". */
export function readImportQuery(query: string, { takesImport }: { readonly takesImport: boolean }): ImportQuery {
  const known = takesImport ? ([...IMPORT_PARAMETERS, "import"] as const) : IMPORT_PARAMETERS;
  const parameters: { [Each in "import" | (typeof IMPORT_PARAMETERS)[number]]?: string } = readParameters(query, known);
  const { existing = "refuse" } = parameters;
  return {
    ...readBulk(parameters),
    existing: readOneOf("existing", existing, ["refuse", "update"]),
    import: parameters.import,
  };
}

/** Reads the raw query of a bulk removal. Throws "address-malformed". */
export function readRemovalQuery(query: string): RemovalQuery {
  return readBulk(readParameters(query, ["dry_run", "errors_max"]));
}

function readBulk({ errors_max, dry_run = "false" }: { readonly errors_max?: string; readonly dry_run?: string }) {
  return {
    errorsMax: readCount("errors_max", errors_max, BULK_ERRORS),
    isDry: readOneOf("dry_run", dry_run, ["false", "true"]) === "true",
  };
}
