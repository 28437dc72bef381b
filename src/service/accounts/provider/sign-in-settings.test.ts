import { describe, expect, it } from "vitest";
import { rolesOfGroups } from "./roles-of-groups.ts";
import { signInSettingsOf } from "./sign-in-settings.ts";

const right = {
  HOLDFAST_OIDC_ISSUER: "https://login.example.org/realms/work",
  HOLDFAST_OIDC_CLIENT_ID: "holdfast",
  HOLDFAST_OIDC_ROLES: '{"admins":"owner","web":{"1":"member"}}',
};

describe("settings of the sign-in", () => {
  it("without settings people sign in by passwords; with a provider by both, unless passwords are off", () => {
    expect(signInSettingsOf({})).toEqual({
      passwords: true,
      provider: undefined,
      secondFactor: "optional",
    });
    expect(signInSettingsOf(right)).toMatchObject({
      passwords: true,
      provider: {
        name: "login.example.org",
        scopes: "openid email profile",
        groupsClaim: "groups",
        sessionMs: 43_200_000,
      },
    });
    expect(signInSettingsOf({ ...right, HOLDFAST_PASSWORDS: "off" }).passwords).toBe(false);
    expect(signInSettingsOf({ ...right, HOLDFAST_OIDC_ISSUER: "http://127.0.0.1:4000" }).provider).toBeDefined();
  });

  it.each([
    ["an issuer without encryption", { HOLDFAST_OIDC_ISSUER: "http://login.example.org" }, /begins with https/],
    ["an issuer that is no address", { HOLDFAST_OIDC_ISSUER: "login" }, /HOLDFAST_OIDC_ISSUER "login"/],
    ["settings without an issuer", { HOLDFAST_OIDC_ISSUER: "" }, /is set, but HOLDFAST_OIDC_ISSUER is not/],
    ["a missing client", { HOLDFAST_OIDC_CLIENT_ID: "" }, /HOLDFAST_OIDC_CLIENT_ID is not/],
    ["missing roles", { HOLDFAST_OIDC_ROLES: "" }, /HOLDFAST_OIDC_ROLES is not set/],
    ["roles that are no JSON", { HOLDFAST_OIDC_ROLES: "admins=owner" }, /is not JSON/],
    ["no group", { HOLDFAST_OIDC_ROLES: "{}" }, /names no group/],
    ["an unknown role", { HOLDFAST_OIDC_ROLES: '{"a":"king"}' }, /gives the group "a" neither/],
    ["a role in no project", { HOLDFAST_OIDC_ROLES: '{"a":{"shop":"owner"}}' }, /gives the group "a" neither/],
    ["scopes without openid", { HOLDFAST_OIDC_SCOPES: "email" }, /does not name openid/],
    ["an unknown switch", { HOLDFAST_PASSWORDS: "no" }, /HOLDFAST_PASSWORDS is "no"/],
    ["an unknown way to send the secret", { HOLDFAST_OIDC_CLIENT_AUTH: "jwt" }, /basic or post/],
    ["an unknown second factor", { HOLDFAST_SECOND_FACTOR: "on" }, /optional or required/],
    ["hours that are none", { HOLDFAST_OIDC_SESSION_HOURS: "-1" }, /not a number of hours/],
  ])("a server does not start with %s", (_what, wrong, message) => {
    expect(() => signInSettingsOf({ ...right, ...wrong })).toThrow(message);
  });

  it("passwords cannot be switched off without a provider", () => {
    expect(() => signInSettingsOf({ HOLDFAST_PASSWORDS: "off" })).toThrow(/no other way to sign in/);
  });
});

describe("roles of groups", () => {
  const { provider } = signInSettingsOf({
    ...right,
    HOLDFAST_OIDC_ROLES: JSON.stringify({
      "*": { 3: "viewer" },
      all: "viewer",
      admins: "owner",
      web: { 1: "member", 2: "viewer" },
      shop: { 2: "owner" },
    }),
  });
  const rolesOf = (...groups: string[]) => rolesOfGroups(groups, provider?.rolesOfGroup ?? new Map(), [1, 2, 3, 4]);

  it("the highest role counts in each project, and a role in all projects reaches all", () => {
    expect(rolesOf("unknown")).toEqual({ 3: "viewer" });
    expect(rolesOf("web", "shop")).toEqual({ 1: "member", 2: "owner", 3: "viewer" });
    expect(rolesOf("all")).toBe("viewer");
    expect(rolesOf("all", "web")).toEqual({ 1: "member", 2: "viewer", 3: "viewer", 4: "viewer" });
    expect(rolesOf("admins", "web", "shop")).toBe("owner");
    expect(rolesOfGroups(["a"], new Map(), [1])).toBeUndefined();
  });
});
