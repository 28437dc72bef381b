import { delimiter, join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { root } from "../../scripts/root.js";
import { authorsEnvironment } from "./authors-environment.ts";

afterEach(() => vi.unstubAllEnvs());

test("the environment of a developer has the certificates, proxies and npm settings of this one", () => {
  const settings = {
    NODE_EXTRA_CA_CERTS: "/company/authority.pem",
    SSL_CERT_FILE: "/company/authorities.pem",
    HTTPS_PROXY: "http://proxy.company:3128",
    no_proxy: "localhost",
    npm_config_registry: "https://packages.company/",
    NPM_CONFIG_CAFILE: "/company/authority.pem",
    npm_config_userconfig: "/home/ada/.npmrc",
  };
  for (const [name, value] of Object.entries(settings)) vi.stubEnv(name, value);
  expect(authorsEnvironment()).toMatchObject(settings);
});

test("it has nothing that Vitest or npm have set for this repository", () => {
  const names = [
    "NODE_ENV",
    "VITEST_MODE",
    "npm_package_name",
    "npm_lifecycle_event",
    "npm_config_local_prefix",
    "INIT_CWD",
  ];
  for (const name of names) vi.stubEnv(name, "of the repository");
  vi.stubEnv("PATH", [join(root, "node_modules/.bin"), "/usr/bin"].join(delimiter));
  const environment = authorsEnvironment();
  for (const name of names) expect(environment).not.toHaveProperty(name);
  expect(environment.PATH).toBe("/usr/bin");
});
