const NEVER = Number.POSITIVE_INFINITY;

/** What one plant's name is, or undefined while there is no plant of its id. */
type State = string | undefined;

/**
 * An operation on one id, as a client saw it: besides those on one plant, "update" is a record of an import that updates,
 * and "drop" one of a bulk removal. Its times are of the client's clock.
 */
export interface Operation {
  readonly kind: "create" | "change" | "put" | "update" | "remove" | "drop" | "read";
  /** The name that it writes. */
  readonly name?: string;
  readonly calledAt: number;
  readonly answeredAt: number;
  /** Undefined if no answer was seen: it may have taken effect at any time after the call, or never. */
  readonly answer: string | undefined;
}

/** What one plant that every operation reaches at one moment answers, and its state after that. */
function act(operation: Operation, state: State): readonly [answer: string, after: State] {
  const { kind, name } = operation;
  if (kind === "put" || kind === "update")
    return [state === undefined ? "created" : name === state ? "unchanged" : "changed", name];
  if (kind === "drop") return [state === undefined ? "missing" : "removed", undefined];
  if (kind !== "create") return actOnOne(operation, state);
  if (state === undefined) return ["created", name];
  return [state === name ? "unchanged" : "taken", state];
}

/** What is refused where there is no plant. */
function actOnOne({ kind, name }: Operation, state: State): readonly [answer: string, after: State] {
  if (state === undefined) return ["absent", state];
  if (kind === "change") return ["changed", name];
  return kind === "remove" ? ["removed", undefined] : [`read ${state}`, state];
}

/** The operations that are in order so far, by their places in the history, and the state after them. */
interface Position {
  readonly done: ReadonlySet<number>;
  readonly state: State;
}

/** No history of a test comes near: of a few clients, only a few operations are ever open at a time. */
const POSITIONS_MAX = 500_000;

/**
 * Returns true if there is an order of the operations that their times allow and in which a single plant, absent at
 * first, would have given the same answers (Herlihy and Wing's linearizability). The search is that of Wing and Gong with
 * Lowe's memory: a position is tried once.
 */
export function isLinearizable(history: readonly Operation[]): boolean {
  const tried = new Set<string>();
  const open: Position[] = [{ done: new Set(), state: undefined }];
  for (let position = open.pop(); position; position = open.pop()) {
    const next = nextPositions(history, position);
    if (!next) return true;
    for (const each of next) {
      const key = `${[...each.done].sort((a, b) => a - b)}: ${each.state}`;
      if (tried.has(key)) continue;
      if (tried.size === POSITIONS_MAX)
        throw new Error(`The history is too wide to be searched:\n${describe(history)}`);
      tried.add(key);
      open.push(each);
    }
  }
  return false;
}

/** With one more operation each, which was called before any that is left was answered; undefined if no answered one is left. */
function nextPositions(history: readonly Operation[], { done, state }: Position): Position[] | undefined {
  const left = [...history.entries()].filter(([at]) => !done.has(at));
  const firstEnd = Math.min(...left.map(([, { answer, answeredAt }]) => (answer === undefined ? NEVER : answeredAt)));
  if (firstEnd === NEVER) return undefined;
  return left.flatMap(([at, operation]) => {
    const [answer, after] = act(operation, state);
    // One without an answer that changes nothing may as well never have happened.
    const isPossible = operation.answer === undefined ? after !== state : operation.answer === answer;
    return operation.calledAt <= firstEnd && isPossible ? [{ done: new Set(done).add(at), state: after }] : [];
  });
}

/** A line for each operation, by the time of its call. */
export function describe(history: readonly Operation[]): string {
  return history
    .toSorted((a, b) => a.calledAt - b.calledAt)
    .map(
      ({ kind, name = "", calledAt, answeredAt, answer = "no answer" }) =>
        `${calledAt.toFixed(1)} to ${answeredAt.toFixed(1)} ms: ${kind} ${name}: ${answer}`,
    )
    .join("\n");
}
