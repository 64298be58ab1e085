import { createProgram } from "./program.ts";
import { reportFailure } from "./report.ts";

try {
  await createProgram().parseAsync();
} catch (error) {
  process.exitCode = reportFailure(error);
}
