// The upper bound on Bun: reads the body and sends it back.
Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  async fetch(request) {
    return new Response(await request.text(), { headers: { "content-type": "application/json" } });
  },
});
