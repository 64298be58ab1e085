import { expect } from "bun:test";

/** Expects an answer in the Error shape with that number and the status that belongs to it; its message begins so. */
export async function expectRefused(answer: Response, error: number, message = ""): Promise<void> {
  const { error: given, message: said, ...more } = await answer.json();
  expect([answer.status, given, more]).toEqual([Math.floor(error / 100), error, {}]);
  expect(said).toStartWith(message);
}
