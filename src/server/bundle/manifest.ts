/** The folder beside the database that keeps what was built. */
export const CACHE_FOLDER = "dashboard-cache";

export interface BuiltFile {
  /** The last part of its address, with a hash of its content. */
  readonly name: string;
  readonly type: string;
}

/** What a build leaves behind, beside its files: each also compressed, as `.br` and `.gz`. */
export interface Manifest {
  /** What the page loads: in its head before anything shows, and at the end of its body. */
  readonly head: string;
  readonly body: string;
  readonly files: readonly BuiltFile[];
}
