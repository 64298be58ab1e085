module.exports = ({ env }) => ({
  host: env("HOST"),
  port: env.int("PORT"),
  app: { keys: [env("STRAPI_SECRET")] },
  logger: { updates: { enabled: false }, startup: { enabled: false } },
});
