module.exports = require("@strapi/strapi").factories.createCoreController("api::plant.plant");
