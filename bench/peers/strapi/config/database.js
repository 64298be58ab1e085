module.exports = ({ env }) => ({
  connection: {
    client: "sqlite",
    connection: { filename: env("DATABASE_FILE", ".tmp/data.db") },
    useNullAsDefault: true,
    pool: {
      afterCreate(connection, done) {
        connection.pragma("journal_mode = WAL");
        // better-sqlite3's default under WAL is NORMAL, which a power cut outruns.
        connection.pragma("synchronous = FULL");
        done(null, connection);
      },
    },
  },
});
