/** The tables of all operations but creates, one for each number of connections. */
import { agrees } from "#harness/operations.ts";
import type { OperationResults, OperationSample } from "#harness/results.ts";
import { OPERATIONS } from "#peer/peer.ts";
import { titleOf } from "./figures.ts";
import { figure, table } from "./words.ts";

type System = OperationResults["systems"][number];

/** Each cell has the answers a second and the microseconds of processor time of each; the most answers are bold. */
export function operationTable({ systems }: OperationResults, connections: number): string {
  const sampleOf = ({ samples }: System, operation: OperationSample["operation"]) =>
    samples.find((sample) => sample.operation === operation && sample.connections === connections);
  const rows = systems.map((system) => [
    system.peer.startsWith("plantstore") ? `**${titleOf(system.peer)}**` : titleOf(system.peer),
    ...OPERATIONS.map((operation) => {
      const most = Math.max(...systems.map((other) => rateOf(sampleOf(other, operation))));
      const sample = sampleOf(system, operation);
      const rate = rateOf(sample);
      if (!sample || rate === 0) return "none";
      const cell = `${figure(rate)}, ${figure((1e6 * sample.processorSeconds) / (rate * sample.seconds))} µs`;
      return rate === most ? `**${cell}**` : cell;
    }),
  ]);
  return table(["", ...OPERATIONS], rows);
}

/** Successful answers a second. */
function rateOf(sample: OperationSample | undefined): number {
  return sample && sample.seconds > 0 ? (sample.answers - sample.refused) / sample.seconds : 0;
}

/** The date and machine, what was refused, and whether rows and answers agree. */
export function operationNotes({ date, machine, secondsPerLoad, systems, skipped }: OperationResults): string {
  const lines = systems.flatMap(({ peer, samples }) =>
    samples
      .filter(({ refused, broken }) => refused > 0 || broken > 0)
      .map(({ operation, connections, refused, broken, answers }) => {
        const what = `${operation}, ${connections} connections`;
        return `- ${titleOf(peer)}, ${what}: ${refused} of ${answers} answers refused, ${broken} sockets failed`;
      }),
  );
  const wrong = systems.filter((system) => !agrees(system)).map(({ peer }) => titleOf(peer));
  const agreement = wrong.length === 0 ? "for every system" : `but for ${wrong.join(", ")}`;
  return [
    `${date.slice(0, 10)}, ${machine.processor}, ${machine.cores} cores, one round, ${secondsPerLoad} s a load. Rows changed and removed agree with the answers ${agreement}.`,
    ...lines,
    ...skipped.map(({ peer, reason }) => `- ${titleOf(peer)} was skipped: ${reason}`),
  ].join("\n");
}
