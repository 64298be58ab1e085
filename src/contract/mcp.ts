/** A call of the Model Context Protocol whose token was checked. */
export interface McpCall {
  readonly request: Request;
  /** The JSON of one message. */
  readonly text: string;
  readonly token: string;
  readonly scopes: readonly string[];
}

export interface McpAnswer {
  readonly response: Response;
  /** The number of requests that the call's tool sent to the API. */
  readonly requests: number;
  /** The error by which the tool failed, other than a refusal of the service. */
  readonly fault?: unknown;
}

/** An error is answered with the id of its request, or with null where that is none that the protocol allows. */
export type RpcId = string | number | null;

/** Errors of JSON-RPC 2.0, 5.1, and the one that is left to servers. */
export const RPC_ERRORS = { invalidRequest: -32600, internal: -32603, refused: -32000 } as const;

export const NO_MESSAGE =
  "This is no message of JSON-RPC 2.0: a request has a method, an id that is a string or an integer, and params if any";

/** The JSON of an error. */
export function rpcErrorText(id: RpcId, code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } });
}

export function rpcIdOf(message: unknown): RpcId {
  const { id } = (message ?? {}) as { readonly id?: unknown };
  return typeof id === "string" || (typeof id === "number" && Number.isSafeInteger(id)) ? id : null;
}

/** The only version that has batches, and the one of requests over HTTP that name none: later versions demand the name. */
export const BATCH_VERSION = "2025-03-26";
export const BATCH_LENGTH_MAX = 50;

/** Says why a batch is refused as a whole; undefined if each of its messages is answered by itself. */
export function batchProblem({ length }: { readonly length: number }, version: string | undefined): string | undefined {
  if (version !== BATCH_VERSION) {
    return `Only version ${BATCH_VERSION} of the protocol has batches: send each message by itself`;
  }
  if (length === 0) return "A batch must hold a message, and is empty";
  return length > BATCH_LENGTH_MAX
    ? `A batch may hold ${BATCH_LENGTH_MAX} messages at most, and holds ${length}`
    : undefined;
}

/**
 * The JSON of the answers to a batch, in the order of its messages; undefined if it holds nothing but notifications.
 * `answer` gives the JSON of one. Each is answered before the next begins, so a plant can be read by the batch that adds
 * it.
 */
export async function batchAnswer<Message>(
  batch: readonly Message[],
  answer: (message: Message) => Promise<string | undefined>,
): Promise<string | undefined> {
  const answers: string[] = [];
  for (const message of batch) {
    const given = isInitialize(message)
      ? rpcErrorText(rpcIdOf(message), RPC_ERRORS.invalidRequest, "A batch must not hold initialize")
      : await answer(message);
    if (given !== undefined) answers.push(given);
  }
  return answers.length > 0 ? `[${answers.join()}]` : undefined;
}

function isInitialize(message: unknown): boolean {
  return (message as { readonly method?: unknown } | null)?.method === "initialize";
}
