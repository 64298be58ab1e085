import { Dismissed } from "./failure.ts";
import { Signal } from "./signal.ts";

interface ProofRequest {
  resolve(): void;
  reject(cause: unknown): void;
}

/**
 * Requests that wait until the reader has given a proof of identity. One dialog serves them all: they continue together
 * after a proof, and fail together when the dialog is closed.
 */
export class ProofRequests {
  /** True while the dialog should be open. */
  readonly wanted = new Signal(false);
  #waiting: ProofRequest[] = [];

  /** Resolves after a proof; rejects with Dismissed when the dialog was closed. */
  ask(): Promise<void> {
    const asked = new Promise<void>((resolve, reject) => this.#waiting.push({ resolve, reject }));
    this.wanted.set(true);
    return asked;
  }

  proven(): void {
    for (const { resolve } of this.#taken()) resolve();
  }

  dismiss(): void {
    for (const { reject } of this.#taken()) reject(new Dismissed("Not confirmed"));
  }

  #taken(): ProofRequest[] {
    const taken = this.#waiting;
    this.#waiting = [];
    this.wanted.set(false);
    return taken;
  }
}
