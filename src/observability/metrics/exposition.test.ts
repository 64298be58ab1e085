import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { METRICS } from "#core/metrics.ts";
import { exposition } from "./exposition.ts";
import { Histogram } from "./figures.ts";

const DEPLOY = join(import.meta.dir, "../../../deploy");

test("a histogram's buckets are cumulative, and end with all values", () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 3]) histogram.observe(value);
  const text = exposition([{ name: "plantstore_commit_seconds", value: histogram }]);
  expect(text.split("\n").slice(1)).toEqual([
    "# TYPE plantstore_commit_seconds histogram",
    'plantstore_commit_seconds_bucket{le="0.1"} 2',
    'plantstore_commit_seconds_bucket{le="1"} 3',
    'plantstore_commit_seconds_bucket{le="+Inf"} 4',
    "plantstore_commit_seconds_sum 3.65",
    "plantstore_commit_seconds_count 4",
    "",
  ]);
});

test("series of one metric stand together under one head, and label values are escaped", () => {
  const text = exposition([
    { name: "plantstore_jobs_total", labels: { job: 'a"\\\n', outcome: "failed" }, value: 1 },
    { name: "plantstore_streams", value: Number.NaN },
    { name: "plantstore_jobs_total", labels: { job: "b", outcome: "failed" }, value: 2 },
  ]);
  expect(text.match(/# TYPE plantstore_jobs_total/g)).toHaveLength(1);
  expect(text).toContain('plantstore_jobs_total{job="a\\"\\\\\\n",outcome="failed"} 1\nplantstore_jobs_total{job="b"');
  expect(text).toContain("plantstore_streams NaN");
});

test.each(["grafana.json", "alerts.yml"])(
  "deploy/%s uses metrics that there are, and every one of the dashboard's",
  (name) => {
    const text = readFileSync(join(DEPLOY, name), "utf8");
    const used = new Set(text.match(/\b(?:plantstore|process)_[a-z_]+(?=[\s[{)"]|$)/gm));
    const known = Object.entries(METRICS).flatMap(([metric, { type }]) =>
      type === "histogram" ? [`${metric}_bucket`] : [metric],
    );
    expect([...used].filter((metric) => !known.includes(metric))).toEqual([]);
    if (name === "grafana.json") expect(known.filter((metric) => !used.has(metric))).toEqual([]);
  },
);
