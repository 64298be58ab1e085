module.exports = require("@strapi/strapi").factories.createCoreService("api::plant.plant");
