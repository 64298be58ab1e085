import { describe, expect, test } from "bun:test";
import { apiPerFile } from "#test/support/api-per-file.ts";
import { expectRefused } from "#test/support/refused.ts";

const api = apiPerFile(["plants:read", "plants:write", "webhooks:manage"], { WEBHOOK_NETWORKS: "127.0.0.0/8" });
const send = (method: string, path: string, body?: unknown, as?: string) =>
  api.send(method, `/v1${path}`, { body, as });
const get = async (path: string, as?: string) => (await send("GET", path, undefined, as)).json();

describe("webhook endpoints", () => {
  const endpoint = { url: "https://127.0.0.1:9443/hook" };

  async function made(more: object = {}): Promise<{ id: string; secret: string }> {
    const answer = await send("POST", "/webhooks", { ...endpoint, ...more });
    expect(answer.status).toBe(200);
    return answer.json();
  }

  test("are made with a secret that is told once, and listed, read, changed and removed without it", async () => {
    const { secret, ...shown } = await made({ events: ["plant.created"], description: "the shop" });
    expect(secret).toStartWith("whsec_");
    expect(shown).toMatchObject({ ...endpoint, events: ["plant.created"], description: "the shop", status: "enabled" });
    for (const path of ["/webhooks", `/webhooks/${shown.id}`]) {
      const text = await (await send("GET", path)).text();
      expect([text.includes(shown.id), text.includes(secret)]).toEqual([true, false]);
    }
    const changed = await send("PATCH", `/webhooks/${shown.id}`, { enabled: false, description: "" });
    expect(await changed.json()).toMatchObject({ status: "disabled", description: "" });
    expect((await send("DELETE", `/webhooks/${shown.id}`)).status).toBe(204);
    await expectRefused(await send("GET", `/webhooks/${shown.id}`), 40404);
    expect(await get("/webhooks")).toEqual({ data: [] });
  });

  test("of another account are as if there were none, whatever is asked of them", async () => {
    const { id } = await made();
    const stranger = await api.app.token(await api.app.account(), { scopes: ["plants:read", "webhooks:manage"] });
    const asked = [
      ["GET", ""],
      ["PATCH", "", { enabled: false }],
      ["DELETE", ""],
      ["POST", "/secret", {}],
      ["POST", "/test", {}],
      ["POST", "/replay", { from: "evt_0000000000001" }],
      ["GET", "/deliveries"],
    ] as const;
    for (const [method, path, body] of asked) {
      const answer = await send(method, `/webhooks/${id}${path}`, body, stranger);
      await expectRefused(answer, 40404, `There is no webhook endpoint with the id ${id}`);
      for (const none of ["%00", "a%00b", "%ED%A0%80", "%zz"])
        await expectRefused(await send(method, `/webhooks/${none}${path}`, body), 40404);
    }
    expect(await get("/webhooks", stranger)).toEqual({ data: [] });
    expect(await get(`/webhooks/${id}`)).toMatchObject({ status: "enabled" });
  });

  test("are refused by their ids, but for one that is a token", async () => {
    const unknown = "There is no webhook endpoint with the id";
    for (const token of [`plant_${"a1B2c3".repeat(6)}`, `pl%61nt_${"a1B2c3".repeat(6)}`]) {
      await expectRefused(await send("GET", `/webhooks/${token}`), 40404, `${unknown} plant_…`);
    }
    await expectRefused(await send("GET", "/webhooks/we_1"), 40404, `${unknown} we_1`);
  });

  test("take a token that may manage them", async () => {
    const reading = await api.app.token(api.holder, { scopes: ["plants:read", "plants:write"] });
    for (const [method, path] of [
      ["GET", ""],
      ["POST", ""],
      ["DELETE", "/we_1"],
      ["POST", "/we_1/secret"],
    ] as const) {
      await expectRefused(
        await send(method, `/webhooks${path}`, method === "POST" ? endpoint : undefined, reading),
        40301,
      );
    }
  });

  test("take one that may read too wherever plants are sent, and the refusal names the scope", async () => {
    const { id } = await made();
    const managing = await api.app.token(api.holder, { scopes: ["webhooks:manage"] });
    for (const [method, path, body] of [
      ["POST", "", endpoint],
      ["PATCH", `/${id}`, { url: "https://127.0.0.1:9443/elsewhere" }],
      ["POST", `/${id}/replay`, { from: "evt_0000000000001" }],
    ] as const) {
      const refused = await send(method, `/webhooks${path}`, body, managing);
      expect(refused.headers.get("WWW-Authenticate")).toEndWith('error="insufficient_scope", scope="plants:read"');
      await expectRefused(refused, 40301, "This token may not do that: it lacks the scope plants:read");
    }
    expect(await get(`/webhooks/${id}`)).toMatchObject(endpoint);
    for (const [method, path, body, status] of [
      ["PATCH", "", { enabled: false, description: "moved" }, 200],
      ["POST", "/secret", {}, 200],
      ["GET", "/deliveries", undefined, 200],
      ["DELETE", "", undefined, 204],
    ] as const)
      expect((await send(method, `/webhooks/${id}${path}`, body, managing)).status).toBe(status);
  });

  test("begin where they are told to, also far ahead, and are read by everybody as before", async () => {
    const position = "events 9007199254740993";
    const cursor = Buffer.from(`${position} ${Bun.hash.crc32(position).toString(36)}`).toString("base64url");
    const { id } = await made({ from: cursor });
    expect(await get(`/webhooks/${id}`)).toMatchObject({ id, status: "enabled" });
    await expectRefused(await send("POST", "/webhooks", { ...endpoint, from: `${cursor}x` }), 40003);
  });

  test("have their secret rolled, and the old one may overlap for a week at most", async () => {
    const { id, secret } = await made();
    const rolled = await (await send("POST", `/webhooks/${id}/secret`, { overlap: "1h" })).json();
    expect(rolled.secret).toStartWith("whsec_");
    expect(rolled.secret).not.toBe(secret);
    expect(rolled.secrets).toHaveLength(2);
    expect((await (await send("POST", `/webhooks/${id}/secret`, { overlap: "0" })).json()).secrets).toHaveLength(1);
    for (const overlap of ["8d", "soon", -1]) {
      await expectRefused(await send("POST", `/webhooks/${id}/secret`, { overlap }), 40003);
    }
  });

  test("are told in forms of 16 KiB at most, a replay in one of 64 KiB, also if they are nested to the last byte", async () => {
    const { id } = await made();
    const forms = ["/events/test", "/webhooks", `/webhooks/${id}/secret`, `/webhooks/${id}/test`];
    for (const [path, kib] of [...forms.map((form) => [form, 16] as const), [`/webhooks/${id}/replay`, 64] as const]) {
      const form = (bytes: number) => {
        const depth = (bytes - '{"more":,"overlap":5}'.length) >> 1;
        return `{"more":${"[".repeat(depth)}${"]".repeat(depth)},"overlap":5}${" ".repeat((bytes % 2) ^ 1)}`;
      };
      const post = (body: string) => api.send("POST", `/v1${path}`, { body });
      const [within, beyond] = [await post(form(kib * 1024)), await post(form(kib * 1024 + 2))];
      expect([path, within.status < 500, within.status !== 413]).toEqual([path, true, true]);
      await expectRefused(beyond, 41301, `The body is too large: it may have ${kib * 1024} bytes (${kib} KiB) at most`);
    }
  });
});
