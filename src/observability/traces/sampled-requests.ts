import type { EndedRequest, RequestSink } from "#core/request.ts";

/**
 * Hands over the requests that are traced: those that the caller samples, and a part of those that come without a trace.
 * All others cost a look at one header.
 */
export class SampledRequests implements RequestSink {
  readonly #ratio: number;
  readonly #record: (request: EndedRequest) => void;

  constructor(ratio: number, record: (request: EndedRequest) => void) {
    this.#ratio = ratio;
    this.#record = record;
  }

  requestEnded(request: EndedRequest): void {
    const { trace } = request;
    if (trace ? trace.isSampled : Math.random() < this.#ratio) this.#record(request);
  }
}
