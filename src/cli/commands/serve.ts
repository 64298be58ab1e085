import { Command } from "commander";

export function serveCommand(): Command {
  return new Command("serve")
    .description("serve the API and the dashboard; settings come from the environment")
    .action(async () => {
      const { runServer } = await import("#server/run.ts");
      await runServer(process.env);
    });
}
