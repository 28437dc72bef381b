import { describe, expect, it } from "vitest";
import { allSettingReaders, refuseWrongSettings, settingReaders, wrongSettings } from "./check-settings.ts";

const secret = "s".repeat(32);

describe("the settings of a service", () => {
  it.each([
    ["HOLDFAST_SECRET", "short", "HOLDFAST_SECRET has 5 characters"],
    ["HOLDFAST_SECRET_BEFORE", `${secret} abc`, "HOLDFAST_SECRET_BEFORE has a secret of 3 characters"],
    ["HOLDFAST_STORE", "mysql://host/database", '"mysql://host/database"'],
    ["HOLDFAST_NEW_ISSUES_PER_HOUR", "x", '"x"'],
    ["HOLDFAST_OWNERSHIP_RULES", "-1", '"-1"'],
    ["HOLDFAST_OWNERSHIP_LINE", "1.5", '"1.5"'],
    ["HOLDFAST_BALANCE_GRACE_MINUTES", "0", '"0"'],
    ["HOLDFAST_GAVE_UP_MINUTES", "x", '"x"'],
    ["HOLDFAST_SCHEDULED_TASKS", "x", '"x"'],
    ["HOLDFAST_ALERT_MESSAGES", "x", '"x"'],
    ["HOLDFAST_PASSWORDS", "no", '"no"'],
    ["HOLDFAST_SECOND_FACTOR", "yes", '"yes"'],
    ["HOLDFAST_UPLOAD_BYTES", "64M", '"64M"'],
    ["HOLDFAST_API_PER_MINUTE", "abc", '"abc"'],
    ["HOLDFAST_API_BODY_BYTES", "x", '"x"'],
    ["HOLDFAST_IMPORT_BYTES", "12M", '"12M"'],
    ["HOLDFAST_TOKENS_EACH", "zzz", '"zzz"'],
    ["HOLDFAST_MCP_CHARACTERS", "-1", '"-1"'],
    ["HOLDFAST_MCP_CALLS", "x", '"x"'],
    ["HOLDFAST_LOG_LINES_SEARCHED", "x", '"x"'],
    ["HOLDFAST_LOG_LINES_EXPORTED", "x", '"x"'],
    ["HOLDFAST_TRACES_SEARCHED", "x", '"x"'],
    ["HOLDFAST_SLOW_QUERY_MS", "x", '"x"'],
    ["HOLDFAST_SAVED_SEARCHES", "", '""'],
  ])("a wrong %s is refused, and the error says what is wrong with it", (variable, value, problem) => {
    const errors = wrongSettings(allSettingReaders, { [variable]: value });
    expect(errors).toHaveLength(1);
    expect(errors[0]?.message).toContain(variable);
    expect(errors[0]?.message).toContain(problem);
  });

  it("everything that is wrong with an identity provider is named at once, and each once", () => {
    const env = {
      HOLDFAST_OIDC_ISSUER: "login.example",
      HOLDFAST_OIDC_CLIENT_AUTH: "jwt",
      HOLDFAST_OIDC_SCOPES: "email",
      HOLDFAST_OIDC_ROLES: "admins",
      HOLDFAST_OIDC_SESSION_HOURS: "long",
      HOLDFAST_PASSWORDS: "no",
    };
    const messages = wrongSettings(allSettingReaders, env).map(({ message }) => message);
    const named = [...Object.keys(env), "HOLDFAST_OIDC_CLIENT_ID"];
    for (const name of named)
      expect(
        messages.some((one) => one.includes(name)),
        name,
      ).toBe(true);
    expect(messages).toHaveLength(named.length);
    expect(wrongSettings(allSettingReaders, { HOLDFAST_OIDC_SCOPES: "email" })).toHaveLength(1);
  });

  it("everything that is wrong with a mail server is named at once: its address and the sender", () => {
    const wrong = (env: NodeJS.ProcessEnv) => wrongSettings(allSettingReaders, env).map(({ code }) => code);
    const [address, sender] = ["service-wrong-mail-server", "service-wrong-mail-from"];
    expect(wrong({ HOLDFAST_SMTP: "mail.example", HOLDFAST_MAIL_FROM: "errors" })).toEqual([address, sender]);
    expect(wrong({ HOLDFAST_SMTP: "mail.example" })).toEqual([address, sender]);
    expect(wrong({ HOLDFAST_SMTP: "smtp://mail.example" })).toEqual([sender]);
    expect(wrong({ HOLDFAST_MAIL_FROM: "errors@example.org" })).toEqual([address]);
    expect(wrong({ HOLDFAST_SMTP: "smtp://mail.example", HOLDFAST_MAIL_FROM: "errors@example.org" })).toEqual([]);
  });

  it("one error names every wrong setting, and no secret", () => {
    const env = {
      HOLDFAST_SECRET: "letmein",
      HOLDFAST_SECRET_BEFORE: "opensesame",
      HOLDFAST_API_PER_MINUTE: "abc",
      HOLDFAST_API_BODY_BYTES: "much",
      HOLDFAST_MCP_CALLS: "120",
      HOLDFAST_STORE: "mysql://user:hunter2@host/database",
      HOLDFAST_SMTP: "http://user:hunter2@host",
      HOLDFAST_PASSWORDS: "off",
      HOLDFAST_SECOND_FACTOR: "must",
    };
    const refused = () => refuseWrongSettings(allSettingReaders, env);
    for (const [variable, value] of Object.entries(env))
      if (value !== "120") expect(refused).toThrow(variable);
      else expect(refused).not.toThrow(variable);
    expect(refused).toThrow(/Correct them and start again\. \[wrong-settings\]$/);
    expect(refused).not.toThrow(/letmein|opensesame|hunter2/);
  });

  it("a single wrong setting has its own error", () => {
    expect(() => refuseWrongSettings(settingReaders.service, { HOLDFAST_API_PER_MINUTE: "0" })).toThrow(
      /^The number of requests to the API in a minute "0" is not a whole number above 0\. .*\[service-wrong-api-rate\]$/,
    );
  });

  it("the settings are right if nothing is set, and each reader looks at its own only", () => {
    expect(wrongSettings(allSettingReaders, {})).toEqual([]);
    expect(wrongSettings(settingReaders.service, { HOLDFAST_SECRET: "short", HOLDFAST_OIDC_ROLES: "x" })).toEqual([]);
    expect(wrongSettings(allSettingReaders, { HOLDFAST_SECRET: secret, HOLDFAST_SECRET_BEFORE: "" })).toEqual([]);
  });
});
