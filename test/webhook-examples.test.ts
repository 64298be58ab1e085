import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { testEventBody } from "#contract/v1/event.ts";
import { signedHeaders, webhookSecret } from "#contract/webhook-signature.ts";
import { RECEIVERS } from "#dashboard/reference/webhook-receivers.ts";
import { eventually } from "#test/support/eventually.ts";
import { ROOT, temporaryFolder } from "#test/support/service.ts";
import { missingProgram, testUnless } from "#test/support/skipped.ts";

const secret = webhookSecret(crypto.getRandomValues(new Uint8Array(32)));

interface Runner {
  /** The program that it is run by. */
  readonly needs?: string;
  /** The command of this receiver. */
  start(code: string): string[];
}

const RUN: Readonly<Record<string, Runner>> = {
  TypeScript: { start: (code) => [process.execPath, written(join(ROOT, "node_modules", ".webhook-example.ts"), code)] },
  Python: { needs: "python3", start: (code) => ["python3", written(join(temporaryFolder(), "receiver.py"), code)] },
  Go: {
    needs: "go",
    start: (code) => {
      const file = written(join(temporaryFolder(), "receiver.go"), code);
      // Where nothing is cached, its standard library compiles in half of the time without C, optimization and a garbage collection.
      return [
        "sh",
        "-c",
        `CGO_ENABLED=0 GOGC=off go build -gcflags="all=-N -l" -o ${file}.exe ${file} && exec ${file}.exe`,
      ];
    },
  },
};

function written(file: string, text: string): string {
  writeFileSync(file, text);
  return file;
}

async function listening(command: string[]) {
  const env = { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", WEBHOOK_SECRET: secret, PORT: "0" };
  const child = Bun.spawn(command, { cwd: ROOT, env, stdout: "pipe", stderr: "ignore" });
  let printed = "";
  void (async () => {
    for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
  })();
  const address = /listening on .*?(\d{2,})\D*$/s;
  while (!address.test(printed) && child.exitCode === null) await Bun.sleep(20);
  const [, port] = address.exec(printed) ?? [];
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

for (const { language, code } of RECEIVERS) {
  const { needs, start } = RUN[language] as Runner;
  testUnless(
    needs && missingProgram(needs),
    `the receiver in ${language} takes what is signed, once, and nothing else`,
    () => tryReceiver(start(code)),
  );
}
