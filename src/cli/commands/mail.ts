import type { Command } from "commander";
import { command, group } from "../command.ts";
import { printResult } from "../output.ts";

export function mailCommand(): Command {
  return group(
    "mail",
    "try the mail server",
    command(
      "test",
      "send one message by SMTP_URL, and say what the server answered",
      "plantstore mail test --to grower@example.com",
    )
      .requiredOption("--to <address>", "where to")
      .action(async ({ to, json }: { readonly to: string; readonly json?: boolean }) => {
        const { sendTestMail } = await import("#server/operator/test-mail.ts");
        const answer = await sendTestMail(to);
        printResult(json, { to, answer }, `The mail server took it: ${answer}`);
      }),
  );
}
