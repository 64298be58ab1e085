const { existsSync, writeFileSync } = require("node:fs");

module.exports = {
  async bootstrap({ strapi }) {
    const file = process.env.TOKEN_FILE;
    if (!file || existsSync(file)) return;
    const token = await strapi.service("admin::api-token").create({
      name: "comparison",
      description: "",
      type: "full-access",
      lifespan: null,
    });
    writeFileSync(file, token.accessKey);
  },
};
