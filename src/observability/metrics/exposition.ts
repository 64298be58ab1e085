import { type Labels, METRICS, type MetricName } from "#core/metrics.ts";
import type { Series } from "./figures.ts";

/** Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats/). */
export function exposition(series: Iterable<Series>): string {
  const byName = new Map<MetricName, string[]>();
  for (const each of series) {
    const lines = byName.get(each.name) ?? [];
    lines.push(...linesOf(each));
    byName.set(each.name, lines);
  }
  let text = "";
  for (const [name, lines] of byName) {
    const { help, type } = METRICS[name];
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("\n")}\n`;
  }
  return text;
}

function linesOf({ name, labels = {}, value }: Series): string[] {
  if (typeof value === "number") return [`${name}${labelled(labels)} ${value}`];
  const lines: string[] = [];
  let count = 0;
  for (const [index, bucket] of value.counts.entries()) {
    count += bucket;
    const le = index < value.bounds.length ? String(value.bounds[index]) : "+Inf";
    lines.push(`${name}_bucket${labelled({ ...labels, le })} ${count}`);
  }
  return [...lines, `${name}_sum${labelled(labels)} ${value.sum}`, `${name}_count${labelled(labels)} ${count}`];
}

function labelled(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === "\n" ? "\\n" : `\\${character}`));
}
