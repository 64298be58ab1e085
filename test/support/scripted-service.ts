/** A server with prepared answers: one for each request in their order, and the last one for all later requests. */
export interface ScriptedService extends Disposable {
  readonly url: string;
  /** The requests that have arrived so far. */
  readonly requests: readonly ReceivedRequest[];
}

interface ReceivedRequest {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly headers: Headers;
  readonly body: string;
  /** Milliseconds since the server started. */
  readonly at: number;
}

type Answer = Response | ((request: ReceivedRequest) => Response | Promise<Response>);

export function scriptedService(...answers: Answer[]): ScriptedService {
  const started = performance.now();
  const requests: ReceivedRequest[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      const at = performance.now() - started;
      const address = request.url.slice(request.url.indexOf("/", "http://".length));
      const { method, headers } = request;
      const received = { method, headers: new Headers(headers), address, body: await request.text(), at };
      requests.push(received);
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      if (!answer) return refusedWith(50001);
      return answer instanceof Response ? answer.clone() : answer(received);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** An answer in the service's Error shape. */
export function refusedWith(error: number, headers: Record<string, string> = {}): Response {
  return Response.json({ error, message: `Refused with ${error}` }, { status: Math.floor(error / 100), headers });
}

/** The address of a server that closes each connection after it has written those bytes. */
export function cuttingService(...writes: string[]): ScriptedService {
  const requests: ReceivedRequest[] = [];
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket, bytes) {
        const [line = "", body = ""] = new TextDecoder().decode(bytes).split(/\r\n|\r\n\r\n/, 2);
        const [method = "", address = ""] = line.split(" ");
        requests.push({ method, address, body, headers: new Headers(), at: performance.now() });
        const text = writes[Math.min(requests.length, writes.length) - 1];
        if (text) socket.end(text);
        else socket.terminate();
      },
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, requests, [Symbol.dispose]: () => server.stop(true) };
}
