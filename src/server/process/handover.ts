/** The variable by which root hands a `Handover`, as JSON, to a command that it runs as another user. */
export const HANDOVER = "PLANTSTORE_HANDOVER";

export interface Handover {
  /** The name of the user who typed the command. */
  readonly typedBy: string;
  /** The files that root has opened for it, by their paths: numbers of descriptors. */
  readonly files: Readonly<Record<string, number>>;
}

export function handover(): Partial<Handover> {
  return JSON.parse(process.env[HANDOVER] ?? "{}");
}

/** The file's path, or the descriptor that root opened for this process. */
export function readable(path: string): string | number {
  return handover().files?.[path] ?? path;
}
