import { join } from "node:path";
import { dashboardPages, programBundle, ROOT } from "./program-bundle.ts";

/**
 * Builds the program as one executable file for each target, with the runtime, the workers and the dashboard inside:
 * `bun scripts/standalone.ts [TARGET]…`, by default for this machine. A target is named as the runtime's, `linux-x64` for
 * example. The same sources give the same file.
 */
const THIS_MACHINE = `${process.platform}-${process.arch}`;

export async function buildStandalone(target = THIS_MACHINE, folder = join(ROOT, "dist")): Promise<string> {
  const outfile = join(folder, `plantstore-${target}`);
  const bundle = await programBundle();
  await Bun.build({
    ...bundle,
    bytecode: true,
    // A signal to process 1 is lost until there is a handler, and the program in one piece takes 60 ms to load.
    splitting: true,
    compile: {
      ...(target === THIS_MACHINE ? {} : { target: `bun-${target}` as Bun.Build.CompileTarget }),
      outfile,
      assets: [await dashboardPages()],
      // Files of the working directory are none of the program's.
      autoloadBunfig: false,
      autoloadDotenv: false,
    },
  });
  return outfile;
}

if (import.meta.main) {
  const targets = process.argv.slice(2);
  for (const target of targets.length > 0 ? targets : [THIS_MACHINE]) console.log(await buildStandalone(target));
}
