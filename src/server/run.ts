import { serve } from "./serve.ts";
import { readSettings } from "./settings.ts";

export async function runServer(environment: Readonly<Record<string, string | undefined>>): Promise<void> {
  await serve(readSettings(environment));
}
