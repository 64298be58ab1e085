/** One sample of a series in a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scrape {
  /** Seconds since 1970. */
  readonly at: number;
  readonly samples: readonly Sample[];
}

export function readScrape(text: string, at: number): Scrape {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  const samples = lines.map((line) => {
    const [, name = "", labels = "", value = ""] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return { name, labels: labelsOf(labels), value: Number(value.replace("Inf", "Infinity")) };
  });
  return { at, samples };
}

export function labelsOf(text: string): Record<string, string> {
  return Object.fromEntries([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

type Series = { readonly labels: Sample["labels"]; readonly points: readonly [at: number, value: number][] };
type Vector = readonly Pick<Sample, "labels" | "value">[];
type Value = number | Vector;

const TOKEN = /\s*("[^"]*"|[\w.]+|[<>=!]=|[-+*/()<>{},=[\]])/y;
const LEVELS = [["or"], ["and", "unless"], ["==", ">", "<", ">=", "<="], ["+", "-"], ["*", "/"]] as const;

/**
 * Evaluates the part of PromQL (https://prometheus.io/docs/prometheus/latest/querying/basics/) that the alerts use, at the
 * last of the scrapes. A range takes all scrapes, which a test makes within seconds. An alert fires where the result is
 * not empty.
 */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Vector {
  const value = new Evaluation(expression, scrapes).value(0);
  return typeof value === "number" ? [{ labels: {}, value }] : value;
}

class Evaluation {
  readonly #tokens: string[] = [];
  readonly #scrapes: readonly Scrape[];

  constructor(expression: string, scrapes: readonly Scrape[]) {
    this.#scrapes = scrapes;
    TOKEN.lastIndex = 0;
    for (let found = TOKEN.exec(expression); found; found = TOKEN.exec(expression)) this.#tokens.push(found[1] ?? "");
  }

  value(level: number): Value {
    const operators: readonly string[] | undefined = LEVELS[level];
    if (!operators) return this.#operand();
    let left = this.value(level + 1);
    while (operators.includes(this.#tokens[0] ?? "")) {
      const operator = this.#tokens.shift() ?? "";
      const on = this.#tokens[0] === "on" ? this.#names() : undefined;
      if (this.#tokens[0] === "group_left") this.#names();
      left = combined(operator, left, this.value(level + 1), on);
    }
    return left;
  }

  #operand(): Value {
    const token = this.#tokens.shift() ?? "";
    if (/^[\d.]/.test(token)) return Number(token);
    if (token === "(") return this.#closed(this.value(0));
    if (this.#tokens[0] === "(" || this.#tokens[0] === "by") return this.#call(token);
    return this.#series(token).flatMap(({ labels, points }) => {
      const last = points.at(-1);
      return last && last[0] === this.#now ? [{ labels, value: last[1] }] : [];
    });
  }

  #call(name: string): Value {
    const by = name === "sum" && this.#tokens[0] === "by" ? this.#names() : [];
    this.#tokens.shift();
    if (name === "time") return this.#closed(this.#now);
    if (name === "sum") return this.#closed(summed(this.value(0), by));
    if (name === "histogram_quantile") {
      const quantile = Number(this.#tokens.shift());
      this.#tokens.shift();
      return this.#closed(quantileOf(quantile, this.value(0)));
    }
    const series = this.#series(this.#tokens.shift() ?? "");
    let seconds = 0;
    if (this.#tokens[0] === ",") [, seconds] = [this.#tokens.shift(), Number(this.#tokens.shift())];
    return this.#closed(series.flatMap((each) => overRange(name, each, this.#now + seconds)));
  }

  #closed<T>(value: T): T {
    if (this.#tokens.shift() !== ")") throw new Error(`This expression is not understood; left of it: ${this.#tokens}`);
    return value;
  }

  #names(): string[] {
    const end = this.#tokens.indexOf(")");
    return this.#tokens
      .splice(0, end + 1)
      .filter((token) => /^\w+$/.test(token) && !["by", "on", "group_left"].includes(token));
  }

  #series(name: string): Series[] {
    const matchers = this.#tokens[0] === "{" ? labelsOf(this.#bracket("}")) : {};
    if (this.#tokens[0] === "[") this.#bracket("]");
    const found = new Map<string, { labels: Sample["labels"]; points: [number, number][] }>();
    for (const { at, samples } of this.#scrapes) {
      for (const { labels, value } of samples.filter((sample) => sample.name === name)) {
        if (Object.entries(matchers).some(([label, wanted]) => labels[label] !== wanted)) continue;
        const key = JSON.stringify(labels);
        const series = found.get(key) ?? { labels, points: [] };
        series.points.push([at, value]);
        found.set(key, series);
      }
    }
    return [...found.values()];
  }

  #bracket(end: string): string {
    return this.#tokens.splice(0, this.#tokens.indexOf(end) + 1).join("");
  }

  get #now(): number {
    return this.#scrapes.at(-1)?.at ?? 0;
  }
}

/** Functions of a range but counts need two samples, as in Prometheus. */
function overRange(name: string, { labels, points }: Series, until: number): Vector {
  if (name === "count_over_time") return [{ labels, value: points.length }];
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last || first === last) return [];
  const slope = (last[1] - first[1]) / (last[0] - first[0]);
  if (name === "rate") return [{ labels, value: slope }];
  if (name === "increase") return [{ labels, value: last[1] - first[1] }];
  if (name === "predict_linear") return [{ labels, value: last[1] + slope * (until - last[0]) }];
  throw new Error(`${name} is not understood`);
}

/** Two vectors are matched by the labels of `on`, or by all. */
function combined(operator: string, left: Value, right: Value, on?: readonly string[]): Value {
  if (operator === "or") return [...(left as Vector), ...(right as Vector)];
  if (operator === "and" || operator === "unless") {
    const isMatched = ({ labels }: Pick<Sample, "labels">) => matching(labels, right as Vector, on) !== undefined;
    return (left as Vector).filter((each) => isMatched(each) === (operator === "and"));
  }
  if (typeof left === "number" && typeof right === "number") return calculated(operator, left, right);
  const pairs =
    typeof left === "number"
      ? (right as Vector).map(({ labels, value }) => ({ labels, a: left, b: value }))
      : left.flatMap(({ labels, value }) => {
          const other = typeof right === "number" ? right : matching(labels, right, on);
          return other === undefined ? [] : [{ labels, a: value, b: other }];
        });
  if (/^[-+*/]$/.test(operator))
    return pairs.map(({ labels, a, b }) => ({ labels, value: calculated(operator, a, b) }));
  return pairs.filter(({ a, b }) => calculated(operator, a, b) === 1).map(({ labels, a }) => ({ labels, value: a }));
}

function matching(labels: Sample["labels"], vector: Vector, on?: readonly string[]): number | undefined {
  const isSame = (other: Sample["labels"]) =>
    on ? on.every((name) => labels[name] === other[name]) : Bun.deepEquals(other, labels);
  return vector.find((each) => isSame(each.labels))?.value;
}

function calculated(operator: string, a: number, b: number): number {
  const results: Record<string, number> = { "+": a + b, "-": a - b, "*": a * b, "/": a / b };
  const holds: Record<string, boolean> = { "==": a === b, ">": a > b, "<": a < b, ">=": a >= b, "<=": a <= b };
  return results[operator] ?? Number(holds[operator]);
}

function summed(value: Value, by: readonly string[]): Vector {
  const sums = new Map<string, number>();
  for (const { labels, value: each } of value as Vector) {
    const key = JSON.stringify(Object.fromEntries(by.map((label) => [label, labels[label] ?? ""])));
    sums.set(key, (sums.get(key) ?? 0) + each);
  }
  return [...sums].map(([key, sum]) => ({ labels: JSON.parse(key), value: sum }));
}

/** The upper bound of the bucket that the quantile is in: Prometheus takes a point within it. */
function quantileOf(quantile: number, value: Value): Vector {
  const buckets = (value as Vector).map(({ labels, value: count }) => ({
    bound: Number(labels.le?.replace("Inf", "Infinity")),
    count,
  }));
  const sorted = buckets.sort((a, b) => a.bound - b.bound);
  const total = sorted.at(-1)?.count ?? 0;
  if (total === 0) return [];
  const index = sorted.findIndex(({ count }) => count >= quantile * total);
  // Above the largest bound Prometheus gives that bound.
  const bound = sorted[index]?.bound === Number.POSITIVE_INFINITY ? sorted[index - 1]?.bound : sorted[index]?.bound;
  return [{ labels: {}, value: bound ?? Number.NaN }];
}
