const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const LABEL = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\n"])*"`;
const SAMPLE = new RegExp(
  `^(${NAME})(?:\\{(${LABEL}(?:,${LABEL})*)\\})? (NaN|[+-]Inf|-?\\d+(?:\\.\\d+)?(?:e[+-]\\d+)?)$`,
);
const HELP = new RegExp(`^# HELP (${NAME}) (?:[^\\\\]|\\\\[\\\\n])+$`);
const TYPE = new RegExp(`^# TYPE (${NAME}) (counter|gauge|histogram)$`);

/** One metric of an exposition: the lines from its HELP to the next one. */
interface Family {
  readonly name: string;
  readonly type: string;
  readonly samples: readonly (readonly [name: string, labels: string, value: number])[];
}

/**
 * Everything for which Prometheus' text format 0.0.4, or `promtool check metrics`, has a complaint about the text. The format
 * allows more than the service writes, such as times and other orders of lines, which count as problems here.
 */
export function expositionProblems(text: string): string[] {
  if (!text.endsWith("\n")) return ["the last line has no end"];
  const blocks = text.slice(0, -1).split(/\n(?=# HELP )/);
  const families = blocks.map((block) => familyOf(block.split("\n")));
  const malformed = families.filter((family) => typeof family === "string");
  const known = families.filter((family) => typeof family !== "string");
  const names = known.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} has two heads`);
  return [...malformed, ...twice, ...known.flatMap(problemsOf)];
}

function familyOf([help = "", type = "", ...lines]: readonly string[]): Family | string {
  const name = HELP.exec(help)?.[1];
  const typed = TYPE.exec(type);
  if (name === undefined || typed?.[1] !== name) return `no head: ${help} / ${type}`;
  const samples = lines.map((line) => SAMPLE.exec(line));
  const wrong = samples.indexOf(null);
  if (wrong >= 0) return `no sample: ${lines[wrong]}`;
  const values = samples.map((found) => [found?.[1] ?? "", found?.[2] ?? "", numberOf(found?.[3] ?? "")] as const);
  return { name, type: typed[2] ?? "", samples: values };
}

function numberOf(text: string): number {
  return Number(text.replace("Inf", "Infinity"));
}

function problemsOf({ name, type, samples }: Family): string[] {
  const ends = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
  const foreign = samples.filter(([sample]) => !ends.some((end) => sample === `${name}${end}`));
  const keys = samples.map(([sample, labels]) => `${sample}{${labels}}`);
  return [
    ...foreign.map(([sample]) => `${sample} stands under ${name}`),
    ...keys.filter((key, at) => keys.indexOf(key) !== at).map((key) => `${key} is there twice`),
    ...((type === "counter") === name.endsWith("_total")
      ? []
      : [`${name} is a ${type}: counters alone end with _total`]),
    ...(type === "counter" && samples.some(([, , value]) => !(value >= 0)) ? [`${name} is negative`] : []),
    ...(type === "histogram" ? bucketProblems({ name, type, samples }) : []),
  ];
}

/** Buckets are cumulative, in the order of their bounds, and end with the count. */
function bucketProblems({ name, samples }: Family): string[] {
  const problems: string[] = [];
  let last: { labels: string; bound: number; count: number } | undefined;
  for (const [sample, text, count] of samples) {
    const [, before = "", le] = /^(.*?),?le="([^"]+)"$/.exec(text) ?? [];
    if (sample === `${name}_bucket`) {
      const bound = numberOf(le ?? "NaN");
      const inOrder = last?.labels !== before || (bound > last.bound && count >= last.count);
      if (Number.isNaN(bound) || !inOrder) problems.push(`${name}_bucket{${text}} is out of order`);
      last = { labels: before, bound, count };
    } else if (sample === `${name}_count` && !(last?.bound === Number.POSITIVE_INFINITY && last.count === count)) {
      problems.push(`${name}_count{${text}} is not that of the bucket +Inf`);
    }
  }
  return problems;
}
