import { describe, expect, test } from "vitest";
import { createScrub, leftOut } from "./scrub.ts";

const scrub = createScrub();

describe("on the way out", () => {
  test.each([
    "password",
    "userPassword",
    "passwd",
    "pwd",
    "secret",
    "client_secret",
    "accessToken",
    "refresh_token",
    "apiKey",
    "x-api-key",
    "Authorization",
    "auth",
    "Cookie",
    "set-cookie",
    "csrf",
    "sessionId",
    "session_key",
    "cardNumber",
    "card_no",
    "cvv",
    "iban",
    "ssn",
    "ip_address",
    "X-Forwarded-For",
    "remoteAddr",
    "privateKey",
    "otp",
    "jwt",
  ])("the value of %s is taken out", (name) => {
    expect(scrub.value({ [name]: "hunter2", list: [{ [name]: 7 }] })).toEqual({
      [name]: leftOut,
      list: [{ [name]: leftOut }],
    });
  });

  test.each(["author", "passenger", "keyboard", "session", "order", "description", "discard", "pinned", "zip", "id"])(
    "the value of %s stays",
    (name) => {
      expect(scrub.value({ [name]: "plain" })).toEqual({ [name]: "plain" });
    },
  );

  test.each([
    ["a login failed with password=hunter2 for 7", `a login failed with password=${leftOut} for 7`],
    ['{"apiKey":"abc","id":7}', `{"apiKey":"${leftOut}","id":7}`],
    ["/reset?token=abc&page=2", `/reset?token=${leftOut}&page=2`],
    ["Authorization: Bearer abcdefghijkl", `Authorization: ${leftOut}`],
    ["sent Bearer abcdefghijklmnop to it", `sent Bearer ${leftOut} to it`],
    ["postgres://app:hunter2@db/shop", `postgres://app:${leftOut}@db/shop`],
    ["card 4111 1111 1111 1111 refused", `card ${leftOut} refused`],
    ["card 4111111111111111", `card ${leftOut}`],
  ])("%s", (text, clean) => {
    expect(scrub.text(text)).not.toContain("hunter2");
    expect(scrub.text(text)).not.toContain("abcdefgh");
    expect(scrub.text(text)).toBe(clean);
  });

  test.each([
    "order 1234567890123456 is late",
    "at 2026-11-15T10:00:00.000Z",
    "https://shop.example/orders/7?page=2",
    "TypeError: x is not a function",
  ])("an ordinary text stays as it is: %s", (text) => {
    expect(scrub.text(text)).toBe(text);
  });

  test("the application's own names count too", () => {
    const own = createScrub({ rules: ["maiden", /^nick/gi] });
    expect(own.value({ maidenName: "a", nickname: "b", name: "c" })).toEqual({
      maidenName: leftOut,
      nickname: leftOut,
      name: "c",
    });
    expect(own.value({ nickname: "b" })).toEqual({ nickname: leftOut });
  });

  test("addresses of visitors stay where that is switched on", () => {
    expect(createScrub({ keepAddresses: true }).value({ ip_address: "192.0.2.1" })).toEqual({
      ip_address: "192.0.2.1",
    });
  });
});
