import { expect, test } from "bun:test";
import { Dismissed } from "./failure.ts";
import { ProofRequests } from "./proof-requests.ts";

test("a request waits until the proof was given", async () => {
  const proofs = new ProofRequests();
  let done = false;
  const asked = proofs.ask().then(() => {
    done = true;
  });
  expect([proofs.wanted.get(), done]).toEqual([true, false]);
  proofs.proven();
  await asked;
  expect([proofs.wanted.get(), done]).toEqual([false, true]);
});

test("one proof serves every request that waits for one", async () => {
  const proofs = new ProofRequests();
  const asked = Promise.all([proofs.ask(), proofs.ask(), proofs.ask()]);
  proofs.proven();
  await asked;
});

test("a dialog that is closed ends every request that waits, without calling it a failure", async () => {
  const proofs = new ProofRequests();
  const asked = Promise.allSettled([proofs.ask(), proofs.ask()]);
  proofs.dismiss();
  for (const outcome of await asked) {
    expect(outcome.status === "rejected" && outcome.reason instanceof Dismissed).toBe(true);
  }
  expect(proofs.wanted.get()).toBe(false);
});

test("a request that comes after a proof asks anew, and is not answered by the one before", async () => {
  const proofs = new ProofRequests();
  proofs.proven();
  let done = false;
  const asked = proofs.ask().then(() => {
    done = true;
  });
  await Promise.resolve();
  expect([proofs.wanted.get(), done]).toEqual([true, false]);
  proofs.proven();
  await asked;
});
