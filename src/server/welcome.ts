import type { Settings } from "./settings.ts";

/** Tells a person at a terminal what to do next. Programs that read the log as JSON are not told. */
export function welcome(settings: Settings, origin: string): void {
  if (settings.LOG_FORMAT === "json" || (!settings.LOG_FORMAT && !process.stdout.isTTY)) return;
  console.log(`
  Plantstore listens on ${origin}

  An account  bin/plantstore account create --email you@example.com
  A token     bin/plantstore token create --account you@example.com --name first
  A plant     curl ${origin}/v1/plants -H "Authorization: Bearer <ACCESS_TOKEN>" \\
                -H "Content-Type: application/json" -d '{"id":1,"name":"Monstera deliciosa"}'
  The API     ${origin}/docs
`);
}
