import { spyOn } from "bun:test";

/**
 * Runs `act`, and ends the thread that it gave its last message to, as a crash of that thread would. With `isDeaf` no message
 * reaches the thread, which might otherwise answer before it ends.
 */
export async function endThreadAfter<Result>(
  act: () => Result | Promise<Result>,
  { isDeaf = false } = {},
): Promise<Result> {
  const posted = spyOn(Worker.prototype, "postMessage");
  if (isDeaf) posted.mockImplementation(() => {});
  const result = await act();
  const worker = posted.mock.contexts.at(-1);
  posted.mockRestore();
  if (!(worker instanceof Worker)) throw new Error("Nothing was given to a thread");
  const ended = new Promise<void>((resolve) => worker.addEventListener("close", () => resolve()));
  worker.terminate();
  await ended;
  return result;
}
