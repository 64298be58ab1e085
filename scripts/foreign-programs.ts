/** How each program that tests of this project need, and npm does not bring, is installed; others come from elsewhere. */
export const PROGRAM_SOURCES: Readonly<Record<string, string>> = {
  age: "apt-get install age",
  fish: "apt-get install fish",
  haproxy: "apt-get install haproxy",
  litestream: "go install github.com/benbjohnson/litestream/cmd/litestream@latest",
  openssl: "apt-get install openssl",
  pebble: "go install github.com/letsencrypt/pebble/v2/cmd/pebble@latest",
  pgbouncer: "apt-get install pgbouncer",
  promtool: "apt-get install prometheus",
  soffice: "apt-get install --no-install-recommends libreoffice-calc",
  "systemd-analyze": "apt-get install systemd",
  versitygw: "go install github.com/versity/versitygw/cmd/versitygw@latest",
  zsh: "apt-get install zsh",
  zstd: "apt-get install zstd",
};
