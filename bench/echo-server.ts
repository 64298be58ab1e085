/** The upper bound: the same runtime parses a body and answers, and does nothing else; over TLS if it is given a certificate. */
const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = process.env;
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  development: false,
  ...(cert && key && { tls: { cert: Bun.file(cert), key: Bun.file(key) } }),
  async fetch(request) {
    const { name, tag } = (await request.json()) as { name: string; tag: string };
    return new Response(JSON.stringify({ name, tag }), { headers: { "Content-Type": "application/json" } });
  },
});
console.log(server.url.origin);
