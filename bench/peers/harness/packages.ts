/** The packages that npm installed for a system. */
import { resolve } from "node:path";

export async function packageVersion(installation: string, name: string): Promise<string> {
  const { version } = await Bun.file(resolve(installation, "node_modules", name, "package.json")).json();
  return version;
}
