import { Failure, type FailureCode } from "#core/failure.ts";

/** The Failure with which something is refused: its code and message, or "taken" if it is not refused. */
export function refusal(read: () => unknown): [code: string, message: string] {
  try {
    read();
  } catch (error) {
    if (error instanceof Failure) return [error.code, error.message];
    throw error;
  }
  return ["taken", ""];
}

/** The code of the Failure with which an act is refused; undefined if it is done. */
export async function refusalOf(act: Promise<unknown>): Promise<FailureCode | undefined> {
  try {
    await act;
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error.code;
    throw error;
  }
}
