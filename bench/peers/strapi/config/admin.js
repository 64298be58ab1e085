module.exports = ({ env }) => ({
  auth: { secret: env("STRAPI_SECRET") },
  apiToken: { salt: env("STRAPI_SECRET") },
  transfer: { token: { salt: env("STRAPI_SECRET") } },
  secrets: { encryptionKey: env("STRAPI_SECRET") },
});
