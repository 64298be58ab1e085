module.exports = require("@strapi/strapi").factories.createCoreRouter("api::plant.plant");
