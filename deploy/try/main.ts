import { tryFailures } from "./failures.ts";
import { missingPackages } from "./programs.ts";
import { tryUpgrade } from "./upgrade.ts";

const ROUNDS = 10;

const missing = missingPackages();
if (missing.length > 0) {
  console.error(`deploy/try needs: apt-get install ${missing.join(" ")}`);
  process.exit(2);
}
const [command = "failures", argument] = process.argv.slice(2);
switch (command) {
  case "failures":
    process.exit((await tryFailures(Number(argument ?? ROUNDS))) ? 0 : 1);
    break;
  case "upgrade":
    if (!argument) throw new Error("deploy/try/run upgrade COMMIT: name the commit of the older version");
    process.exit((await tryUpgrade(argument)) ? 0 : 1);
    break;
  default:
    console.error("deploy/try/run [failures [ROUNDS]] | upgrade COMMIT");
    process.exit(2);
}
