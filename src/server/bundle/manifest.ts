import type { Pages } from "#http/routes/dashboard-pages.ts";

/** The content of `manifest.json`, beside the built files. */
export interface BundleManifest {
  /** A hash of everything that the build was made from. */
  readonly inputs: string;
  /** The names of the HTML files, which lie there compressed like all others. */
  readonly pages: Pages<string>;
  /** The files of the guides, with their addresses. */
  readonly guides: readonly { readonly path: string; readonly name: string; readonly type: string }[];
  /** The name of the favicon's file. */
  readonly icon: string;
  /** Each file lies there compressed only, as `.br` (RFC 7932) and `.gz` (RFC 1952). Names hold a hash of the content. */
  readonly files: readonly { readonly name: string; readonly type: string }[];
  /** The names of the files in `downloads`. */
  readonly downloads: readonly string[];
}
