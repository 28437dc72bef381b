import { describe, expect, it } from "vitest";
import { findLeaks, secretsOf } from "./secret-scan.ts";

const leaksOf = (text: string, files: Record<string, string> = {}, machine: Record<string, string> = {}) =>
  findLeaks(text, secretsOf({ files, machine }));

describe("the value of a private variable", () => {
  const value = 'x7"Kp/2 mQ';

  it.each([
    ["as it is", value],
    ["as a string", JSON.stringify(value)],
    ["in an address", `https://a.example/?k=${encodeURIComponent(value)}`],
    ["in base64", Buffer.from(value).toString("base64")],
  ])("is found %s, and reported by its name alone", (_, text) => {
    expect(leaksOf(`const a = ${text};`, { PAYMENT_KEY: value })).toEqual(["the value of PAYMENT_KEY"]);
  });

  it("is found with non-ASCII characters", () => {
    expect(
      leaksOf(Buffer.from("a = 'geheim\u00f6\u00fcwort'").toString("latin1"), { WORD: "geheim\u00f6\u00fcwort" }),
    ).toHaveLength(1);
  });

  it("is no secret if its name is public, or if it is short or a common word", () => {
    const files = { PUBLIC_TITLE: "The Orders Shop", MODE: "production", PORT: "3000" };
    expect(leaksOf("The Orders Shop production 3000", files)).toEqual([]);
  });

  it("counts from the process environment only if it could be a secret", () => {
    const machine = {
      EDITION: "community-edition",
      PAGER_PATH: "/usr/bin/less",
      VERSION: "10.20.30.40",
      DEPLOY_WORD: "k3J9-xx82-PqLm",
      GITHUB_REPOSITORY: "ada/orders-shop",
      GITHUB_TOKEN: "t9-ada/orders-73kd",
    };
    expect(leaksOf(Object.values(machine).join(" "), {}, machine)).toEqual([
      "the value of DEPLOY_WORD",
      "the value of GITHUB_TOKEN",
    ]);
  });
});

describe("the shape of a secret", () => {
  // Joined at run time, so that no scanner reports this file itself as a leak.
  const shapes: [string, string][] = [
    ["an address with a password in it", `postgres://${"app"}:s3cr3t-9@db.example/orders`],
    ["a private key", `-----BEGIN ${"PRIVATE"} KEY-----\\nMIIEvQIBADANBgkqhkiG9w0B`],
    ["an AWS access key", `AKIA${"IOSFODNN7ABCDEFG"}`],
    ["a GitHub token", `ghp_${"a1B2".repeat(9)}`],
    ["a Stripe key", `sk_live_${"a1B2".repeat(6)}`],
    ["a Slack token", `xoxb-${"123456789012-abcdefABCDEF"}`],
  ];

  it.each(shapes)("is known: %s", (what, text) => {
    expect(leaksOf(`const a="${text}"`)).toEqual([what]);
  });

  it.each([
    "https://key@errors.example/1",
    "postgres://user:password@localhost/orders",
    "postgres://USER:PASSWORD@HOST/db",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the code of another program
    "`https://${user}:${word}@host`",
    "http://localhost:3000/@ada",
    "skip_live_wire",
  ])("is not seen in %s", (text) => {
    expect(leaksOf(text)).toEqual([]);
  });
});
