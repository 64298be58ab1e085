/** The upper bound: the same runtime parses a body and answers, and does nothing else. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  async fetch(request) {
    const { name, tag } = (await request.json()) as { name: string; tag: string };
    return new Response(JSON.stringify({ name, tag }), { headers: { "Content-Type": "application/json" } });
  },
});
console.log(server.url.origin);
