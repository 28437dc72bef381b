import type { AlertMessage } from "./alert-message.ts";

/** For tests. */
export const aMessage: AlertMessage = {
  id: "0191-7",
  project: { id: 1, name: "Shop" },
  reason: "New issue",
  title: "TypeError: Cannot read properties of undefined (reading 'items')",
  level: "error",
  source: {
    file: "src/cart.ts:10",
    lines: [
      { number: 9, text: "export function totalOf(cart: Cart) {", isFailing: false },
      { number: 10, text: "  return cart.items.length;", isFailing: true },
      { number: 11, text: "}", isFailing: false },
    ],
  },
  route: "/cart",
  release: "shop@2.4.1",
  environment: "production",
  events: 1_200,
  visitors: 38,
  digest: "7K2M-9QXC",
  link: "https://errors.example/_holdfast/1/issues/7",
  at: Date.UTC(2026, 10, 16, 12),
  about: "holdfast-1-issue-7",
  items: [],
  itemsInAll: 0,
};
