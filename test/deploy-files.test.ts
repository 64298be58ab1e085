import { expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse, parseAllDocuments } from "yaml";
import { HEALTH_PATHS } from "#http/address.ts";
import { variables } from "#server/environment-file.ts";
import { readSettings } from "#server/settings.ts";
import { ROOT } from "./support/service.ts";

const read = (path: string) => readFileSync(join(ROOT, path), "utf8");
const container = read("deploy/Containerfile");
const [, user] = /^USER (\d+):\d+$/m.exec(container) ?? [];
const [, volume] = /^VOLUME (\S+)$/m.exec(container) ?? [];
const [, port] = /^EXPOSE (\d+)$/m.exec(container) ?? [];
const [alive, ready] = [...HEALTH_PATHS];
const [, health] = /^HEALTHCHECK .* CMD (.*)$/m.exec(container) ?? [];

test("compose.yaml runs the image as it is built: its port, its check, its metrics and its dashboard", () => {
  // What the operator gives: ${NAME:?what is said without it}.
  const { services, configs } = parse(read("deploy/compose.yaml").replaceAll(/\$\{(\w+):\?[^}]*\}/g, "$1"));
  const { ports, healthcheck, environment, init, read_only, cap_drop } = services.plantstore;
  expect(ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(healthcheck.test).toEqual(["CMD", ...JSON.parse(health ?? "")]);
  expect([init, read_only, cap_drop]).toEqual([true, true, ["ALL"]]);
  for (const text of [container, read("docs/operations.md")]) expect(text).toContain("docker run --init --read-only");
  const settings = readSettings(environment);
  const { scrape_configs, rule_files } = parse(configs.prometheus.content);
  const [{ static_configs }] = scrape_configs;
  expect(static_configs[0].targets).toEqual([`plantstore:${settings.METRICS?.port}`]);
  expect(read("deploy/alerts.yml"), "alerts depend on no job's name").not.toContain("up{job=");
  expect(services.prometheus.volumes).toContain(`./alerts.yml:${rule_files[0]}:ro`);
  const [provider] = parse(configs.dashboards.content).providers;
  expect(services.grafana.volumes).toContain(`./grafana.json:${provider.options.path}/plantstore.json:ro`);
});

test("the pods of kubernetes/ run as the image's user on a read-only root, and are asked at the addresses of health", () => {
  const [deployment] = parseAllDocuments(read("deploy/kubernetes/plantstore.yaml")).map((each) => each.toJS());
  const { securityContext, containers, terminationGracePeriodSeconds } = deployment.spec.template.spec;
  const [{ livenessProbe, readinessProbe, startupProbe, ports, volumeMounts, ...node }] = containers;
  expect(securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: Number(user), fsGroup: Number(user) });
  expect(node.securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
  expect(volumeMounts).toEqual([{ name: "data", mountPath: volume }]);
  for (const { httpGet } of [livenessProbe, startupProbe]) expect(httpGet).toEqual({ path: alive, port: "http" });
  expect(readinessProbe.httpGet).toEqual({ path: ready, port: "http" });
  // The time before SIGTERM, the 10 s of an orderly end, and some more.
  expect(terminationGracePeriodSeconds).toBeGreaterThan(node.lifecycle.preStop.sleep.seconds + 10);
  const [map] = parse(read("deploy/kubernetes/kustomization.yaml")).configMapGenerator;
  const settings = readSettings(Object.fromEntries(map.literals.map((line: string) => line.split("="))));
  expect(ports).toEqual([
    { name: "http", containerPort: Number(port) },
    { name: "metrics", containerPort: settings.METRICS?.port },
  ]);
});

test("the workflows pin every action by its digest, and run programs that are there, on Linux and macOS", () => {
  const workflows = readdirSync(join(ROOT, ".github/workflows")).map((name) => read(`.github/workflows/${name}`));
  for (const [, action] of workflows.join("\n").matchAll(/uses: (.*)/g)) expect(action).toMatch(/@[\da-f]{40} # v\d/);
  const runs = [...workflows.join("\n").matchAll(/run: ((?:\.ci|scripts)\/\S+)/g)].map(([, program = ""]) => program);
  expect(runs.sort()).toEqual([".ci/run", "scripts/deploy-files", "scripts/release"]);
  for (const program of runs) expect(existsSync(join(ROOT, program))).toBe(true);
  const { matrix } = parse(read(".github/workflows/ci.yml")).jobs.test.strategy;
  expect(matrix.os).toEqual([expect.stringMatching(/^ubuntu-/), expect.stringMatching(/^macos-/)]);
});

test("the unit sets no setting itself, and lets the service write where its example of settings keeps backups", () => {
  const unit = read("deploy/plantstore.service");
  const valuesOf = (name: string) =>
    Array.from(unit.matchAll(new RegExp(`^${name}=(.*)$`, "gm")), ([, value]) => value);
  expect(valuesOf("Environment")).toEqual([]);
  expect(valuesOf("EnvironmentFile")).toEqual(["/etc/plantstore.env"]);
  expect(valuesOf("RestartPreventExitStatus")).toEqual(["2"]);
  const { DATABASE_URL, BACKUP_TO } = readSettings(variables(read("deploy/plantstore.env")));
  expect(DATABASE_URL).toStartWith(`sqlite:/var/lib/${valuesOf("StateDirectory")}/`);
  expect(valuesOf("ReadWritePaths")).toEqual([`-${BACKUP_TO}`]);
  for (const path of ["/etc/plantstore.env", BACKUP_TO ?? ""]) expect(read("docs/operations.md")).toContain(path);
});
