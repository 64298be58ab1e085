import { ENGINES } from "../test/support/engines.ts";
import { runHistories } from "../test/support/histories.ts";
import { readOptions } from "./options.ts";

/**
 * Searches for orders of events and answers that a single plant cannot have, on each engine, while services are killed,
 * paused and cut off from their database: `bun bench/histories.ts [--engine postgres] [--seconds 60] [--nodes 3] [--seed 1]`.
 * It ends with 1 if it finds one.
 */
const { engine, seconds, nodes, seed } = readOptions({ engine: "", seconds: 60, nodes: 3, seed: Date.now() % 1e6 });
let found = 0;
for (const each of ENGINES.filter((name) => !engine || name === engine)) {
  const { ids, events, counts, problems } = await runHistories({ engine: each, seconds, nodes, seed });
  console.log(`${each}, seed ${seed}: ${ids} ids, ${events} events, ${problems.length} problems`);
  for (const [name, count] of [...counts].sort()) console.log(`  ${name}: ${count}`);
  for (const problem of problems) console.log(problem);
  found += problems.length;
}
process.exit(found > 0 ? 1 : 0);
