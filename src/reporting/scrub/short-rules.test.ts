import { expect, test } from "vitest";
import { leftOut } from "./secret-path.ts";
import { shortRules } from "./short-rules.ts";

function cleaned(text: string, rules = shortRules({})): string {
  return rules.reduce((left, [source, flags, instead]) => left.replace(new RegExp(source, flags), instead), text);
}

test.each([
  ["a login failed with password=hunter2 for 7", `a login failed with password=${leftOut} for 7`],
  ['{"apiKey":"hunter2","id":7}', `{"apiKey":${leftOut}`],
  ["https://shop.example/reset?token=hunter2&page=2", `https://shop.example/reset?token=${leftOut}&page=2`],
  ["sent Bearer hunter2hunter2 to it", `sent Bearer ${leftOut} to it`],
  ["postgres://app:hunter2@db/shop", `postgres://app:${leftOut}@db/shop`],
  ["card 4111 1111 1111 1111 refused", `card ${leftOut} refused`],
  ["no account for ada.lovelace+1@mail.example.org!", `no account for ${leftOut}!`],
  ['"{\\"password\\":\\"hunter2 abcdefgh\\",\\"id\\":7}"', `"{\\"password\\":${leftOut}`],
  ["/go?to=%2Freset%3Ftoken%3Dhunter2", `/go?to=%2Freset%3Ftoken%3D${leftOut}`],
  ["Cookie: theme=dark; id=hunter2\nHost: shop", `Cookie: ${leftOut}\nHost: shop`],
  ["<user><password>hunter2</password></user>", `<user><password>${leftOut}</password></user>`],
  ["AKIAIOSFODNN7EXAMPLE may not", `${leftOut} may not`],
  ["X-Forwarded-For: 192.0.2.1", `X-Forwarded-For: ${leftOut}`],
])("the first script of a document removes secrets, too: %s", (text, clean) => {
  expect(cleaned(text)).toBe(clean);
});

test.each([
  "at 1763183354003 it was late",
  "https://cdn.example/vue@3.4.0.js failed, /img/logo@2x.png too",
  "TypeError: x is not a function",
  "Unexpected token '<', \"<!doctype \"... is not valid JSON",
  "https://shop.example/orders/7?page=2",
])("an ordinary text stays as it is there: %s", (text) => {
  expect(cleaned(text)).toBe(text);
});

test("the application's own names and its wish to send mail addresses hold there", () => {
  const rules = shortRules({ rules: ["maiden", /^nick(name)?$/gi], keepAddresses: true });
  expect(cleaned("maidenName=Ada by ada@example.org", rules)).toBe(`maidenName=${leftOut} by ada@example.org`);
  expect(cleaned("nick=Ada nickname: Ada snick=Ada", rules)).toBe(`nick=${leftOut} nickname: ${leftOut} snick=Ada`);
});
