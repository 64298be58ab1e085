import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { testEventBody } from "#contract/v1/event.ts";
import { signedHeaders, webhookSecret } from "#contract/webhook-signature.ts";
import { eventually } from "#test/support/eventually.ts";
import { ROOT, temporaryFolder } from "#test/support/service.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/webhooks.md"), "utf8");
const secret = webhookSecret(crypto.getRandomValues(new Uint8Array(32)));
const python = Bun.which("python3");
if (!python) console.log("There is no python3 here: the receiver in Python is not run");

/** The program in the document that is marked with that language. */
function program(language: string): string {
  const [, text] = new RegExp(`\`\`\`${language}\n([\\s\\S]*?)\`\`\``).exec(DOCUMENT) ?? [];
  if (!text) throw new Error(`docs/webhooks.md has no program in ${language}`);
  return text;
}

async function listening(command: string[]) {
  const env = { PATH: process.env.PATH ?? "", WEBHOOK_SECRET: secret, PORT: "0" };
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: "pipe", stderr: "inherit" });
  let printed = "";
  void (async () => {
    for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
  })();
  while (!/listening on \d+/.test(printed) && child.exitCode === null) await Bun.sleep(20);
  const [, port] = /listening on (\d+)/.exec(printed) ?? [];
  return { url: `http://127.0.0.1:${port}/`, printed: () => printed, stop: () => child.kill() };
}

/** Sends it an event twice, once unsigned, once altered, and once long after it was signed. */
async function tryReceiver(command: string[]): Promise<void> {
  const receiver = await listening(command);
  const now = Date.now();
  const body = testEventBody("evt_test_1", "plant.changed", now);
  const timestamp = Math.floor(now / 1000);
  const headers = signedHeaders([secret], { id: "evt_test_1", timestamp, body });
  const old = signedHeaders([secret], { id: "evt_test_1", timestamp: timestamp - 3600, body });
  const post = async (sent: string, given: Record<string, string>) =>
    (await fetch(receiver.url, { method: "POST", body: sent, headers: given })).status;
  const statuses = [
    await post(body, headers),
    await post(body, headers),
    await post(body, {}),
    await post(`${body} `, headers),
    await post(body, old),
  ];
  await eventually("it printed the event", () => receiver.printed().includes("plant.changed 42"));
  receiver.stop();
  expect(statuses).toEqual([204, 204, 401, 401, 401]);
  expect(receiver.printed().match(/plant\.changed 42/g)).toHaveLength(1);
}

test("the receiver in TypeScript takes what is signed, once, and nothing else", async () => {
  const file = join(ROOT, "node_modules", ".webhook-example.ts");
  writeFileSync(file, program("ts"));
  await tryReceiver([process.execPath, file]);
});

test.if(python !== null)("the receiver in Python takes what is signed, once, and nothing else", async () => {
  const file = join(temporaryFolder(), "receiver.py");
  writeFileSync(file, program("python"));
  await tryReceiver([python ?? "", file]);
});
