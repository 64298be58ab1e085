/** The content of `manifest.json`, beside the built files. */
export interface Manifest {
  /** A hash of everything that the build was made from. */
  readonly inputs: string;
  readonly pages: Readonly<Record<PageKind, PageParts>>;
  /** The name of the favicon's file. */
  readonly icon: string;
  /** Each file lies there compressed only, as `.br` (RFC 7932) and `.gz` (RFC 1952). Names hold a hash of the content. */
  readonly files: readonly { readonly name: string; readonly type: string }[];
}

/** `outside`: for who is not signed in. `inside`: all others but the Overview, which loads less. */
type PageKind = "outside" | "overview" | "inside";

/** HTML for the end of a page's head, for the place of its program until that has started, and for the end of its body. */
export interface PageParts {
  readonly head: string;
  readonly root: string;
  readonly body: string;
}
