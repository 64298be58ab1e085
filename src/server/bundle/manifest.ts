/** The content of `manifest.json`, beside the built files. */
export interface BundleManifest {
  /** A hash of everything that the build was made from. */
  readonly inputs: string;
  readonly pages: PageNames;
  /** The name of the favicon's file. */
  readonly icon: string;
  /** Each file lies there compressed only, as `.br` (RFC 7932) and `.gz` (RFC 1952). Names hold a hash of the content. */
  readonly files: readonly { readonly name: string; readonly type: string }[];
}

/** The names of the HTML files, which lie there compressed like all others. */
export interface PageNames {
  /** For readers who are not signed in: sign-in and what belongs to it. */
  readonly outside: string;
  /** The reference, for readers who are not signed in. */
  readonly reference: string;
  /** The pages of the dashboard by their paths. */
  readonly framed: Readonly<Record<string, string>>;
  /** Every other address of the dashboard. */
  readonly other: string;
}
