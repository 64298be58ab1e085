import { spyOn } from "bun:test";

/** Runs `act`, and ends the thread that it gave its last message to, as a crash of that thread would. */
export async function endThreadAfter<Result>(act: () => Result | Promise<Result>): Promise<Result> {
  const posted = spyOn(Worker.prototype, "postMessage");
  const result = await act();
  const worker = posted.mock.contexts.at(-1);
  posted.mockRestore();
  if (!(worker instanceof Worker)) throw new Error("Nothing was given to a thread");
  const ended = new Promise<void>((resolve) => worker.addEventListener("close", () => resolve()));
  worker.terminate();
  await ended;
  return result;
}
