import { afterAll, describe, expect, test } from "bun:test";
import { newSecret } from "#core/token.ts";
import { eventually } from "./support/eventually.ts";
import { residentBytes } from "./support/process.ts";
import { expectRefusal, PLANT, RawClient } from "./support/raw-client.ts";
import type { RawAnswer } from "./support/raw-connection.ts";
import { expectRefusedWithinASecond } from "./support/refused.ts";

const client = await RawClient.start();
afterAll(() => client.service.stop());

const MISSING = 'Bearer realm="plantstore"';
const REFUSED = 'Bearer realm="plantstore", error="invalid_token"';

function createWith(...headers: string[]): Promise<RawAnswer> {
  return client.answer({ headers, body: PLANT });
}

/** A secret of the right shape that no account has. */
function unknownSecret(): string {
  return newSecret(() => crypto.getRandomValues(new Uint8Array(1))[0] ?? 0);
}

describe("no token", () => {
  test.each([[[]], [["Authorization:"]], [["Authorization: Bearer"]], [["Authorization: Bearer  "]]])(
    "%j is answered 40101",
    async (headers) => {
      const answer = await createWith(...headers);
      expectRefusal(answer, 40101);
      expect(answer.headers.get("www-authenticate")).toBe(MISSING);
    },
  );

  test("another scheme, a cookie, or a token in the address is no token", async () => {
    for (const header of [`Basic ${btoa(`x:${client.token}`)}`, "Digest a=b", client.token, `Bearer${client.token}`])
      expectRefusal(await createWith(`Authorization: ${header}`), 40101);
    expectRefusal(await createWith(`Cookie: token=${client.token}; Authorization=Bearer ${client.token}`), 40101);
    const target = `/v1/plants?access_token=${client.token}&token=${client.token}`;
    expectRefusal(await client.answer({ target, body: PLANT }), 40101);
  });
});

describe("a token", () => {
  test("is taken with its scheme in any case, and with more than one space", async () => {
    for (const scheme of ["Bearer", "bearer", "BEARER", "bEaReR", "Bearer  ", `Bearer${" ".repeat(500)}`])
      expect((await createWith(`Authorization: ${scheme} ${client.token}`)).status).toBe(200);
    expect((await createWith(`authorization:Bearer ${client.token}  `)).status).toBe(200);
  });

  test("that is malformed, unknown, or not alone is refused with one and the same answer", async () => {
    const { token } = client;
    const wrong = [
      "x",
      token.slice(0, -1),
      `${token}0`,
      token.toLowerCase(),
      token.replace("plant_", "Plant_"),
      `"${token}"`,
      `${token},`,
      `${token} ${token}`,
      `${token}, Bearer ${token}`,
      unknownSecret(),
      "\xff\xfe",
    ];
    const answers = await Promise.all(wrong.map((each) => createWith(`Authorization: Bearer ${each}`)));
    answers.push(await createWith(client.authorization, client.authorization));
    answers.push(await createWith(client.authorization, "Authorization: Bearer x"));
    for (const answer of answers) {
      expectRefusal(answer, 40102);
      expect(answer.headers.get("www-authenticate")).toBe(REFUSED);
      expect(answer.body).toBe(answers[0]?.body ?? "");
      expect(answer.body).not.toContain("plant_");
    }
  });

  test("without the scope is refused with 40301, which names the scope", async () => {
    const reading = await client.service.token({ scopes: ["plants:read"] });
    const answer = await createWith(`Authorization: Bearer ${reading}`);
    expectRefusal(answer, 40301);
    expect(answer.headers.get("www-authenticate")).toBe(
      'Bearer realm="plantstore", error="insufficient_scope", scope="plants:write"',
    );
    const writing = await client.service.token({ scopes: ["plants:write"] });
    expect((await createWith(`Authorization: Bearer ${writing}`)).status).toBe(200);
    const headers = [`Authorization: Bearer ${writing}`];
    const read = await client.answer({ method: "GET", target: "/v1/plants/5", headers });
    expectRefusal(read, 40301);
    expect(read.headers.get("www-authenticate")).toEndWith('scope="plants:read"');
  });

  test("of one account never reaches another's plants", async () => {
    const other = await client.service.token();
    const [mine, theirs] = [client.authorization, `Authorization: Bearer ${other}`];
    expect((await client.answer({ headers: [mine], body: '{"id":70,"name":"mine"}' })).status).toBe(200);
    expectRefusal(await client.answer({ method: "GET", target: "/v1/plants/70", headers: [theirs] }), 40403);
    expect((await client.answer({ headers: [theirs], body: '{"id":70,"name":"theirs"}' })).status).toBe(200);
    expect(JSON.parse((await client.get("/v1/plants/70")).body).name).toBe("mine");
  });

  test.concurrent("that was revoked by another process is refused within a second, though used all the while", async () => {
    const { secret, id } = await freshToken();
    const header = `Authorization: Bearer ${secret}`;
    const status = async () => (await createWith(header)).status;
    expect(await status()).toBe(200);
    let isRevoked = false;
    const using = (async () => {
      while (!isRevoked) expect(await status()).toBeOneOf([200, 401]);
    })();
    await client.service.command("token", "revoke", id);
    await expectRefusedWithinASecond(status);
    isRevoked = true;
    await using;
    expect((await createWith(header)).headers.get("www-authenticate")).toBe(REFUSED);
  });

  test.concurrent("is refused from the moment that it expires", async () => {
    const expires = Date.now() + 4000;
    const secret = await client.service.token({ expires: new Date(expires).toISOString() });
    const header = `Authorization: Bearer ${secret}`;
    for (let status = 200; status === 200; await Bun.sleep(20)) {
      const before = Date.now();
      ({ status } = await createWith(header));
      if (Date.now() < expires) expect(status).toBe(200);
      if (before >= expires) expect(status).toBe(401);
    }
  });
});

test("a flood of unknown and mistyped tokens is refused, and leaves memory as it was", async () => {
  const flood = async (count: number) => {
    for (let sent = 0; sent < count; sent += 50) {
      const secrets = Array.from({ length: 50 }, (_, at) => (at % 2 ? unknownSecret() : `plant_${"x".repeat(36)}`));
      const statuses = secrets.map(async (secret) => {
        const headers = { Authorization: `Bearer ${secret}${" ".repeat(at(secret))}` };
        const answer = await fetch(`${client.service.url}/v1/plants`, { method: "POST", headers, body: PLANT });
        return answer.status;
      });
      expect(new Set(await Promise.all(statuses))).toEqual(new Set([401]));
    }
  };
  const at = (secret: string) => secret.charCodeAt(10) % 3;
  await flood(2000);
  const before = residentBytes(client.service.process.pid);
  await flood(4000);
  const grown = () => residentBytes(client.service.process.pid) - before;
  await eventually("memory is as it was", () => grown() < 24 * 1024 * 1024);
  expect((await client.create()).status).toBe(200);
});

async function json<T>(...args: string[]): Promise<T> {
  return JSON.parse(await client.service.command(...args, "--json"));
}

async function freshToken(): Promise<{ secret: string; id: string; email: string }> {
  const email = `fern${crypto.randomUUID().slice(0, 8)}@example.test`;
  await client.service.command("account", "create", "--email", email);
  const args = ["token", "create", "--account", email, "--name", "fern"];
  const { token, id } = await json<{ token: string; id: string }>(...args);
  return { secret: token, id, email };
}
