// Those that Strapi demands and those that the request needs: neither the
// request log, nor X-Powered-By, nor sessions.
module.exports = [
  "strapi::errors",
  "strapi::security",
  "strapi::cors",
  "strapi::query",
  "strapi::body",
  "strapi::favicon",
  "strapi::public",
];
