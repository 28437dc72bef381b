import { expect, test } from "vitest";
import { readPastEvent } from "../replay/past-event.ts";
import { planOf } from "./plan-replays.ts";

const event = (changes: object) => ({
  kept: "whole",
  id: "0123456789abcdef0123456789abcdef",
  tags: { side: "server" },
  request: { method: "GET", url: "/orders/7" },
  ...changes,
});

function plan(changes: object, writes = false): string {
  const planned = planOf(readPastEvent(event(changes)), { writes });
  return planned.kind === "send" ? `${planned.event.method} ${planned.event.target}` : planned.why;
}

test("a request is sent only if it is complete, of this server, and changes nothing", () => {
  expect(plan({})).toBe("GET /orders/7");
  expect(plan({ request: { url: "/orders/7/_data?from=list" } })).toBe("GET /orders/7/_data?from=list");
  expect(plan({ kept: "damped" })).toBe("its newest events were not stored whole");
  expect(plan({ request: undefined })).toBe("its events belong to no request");
  expect(plan({ tags: { side: "browser" } })).toContain("happened in a browser");
  expect(plan({ tags: {} })).toContain("not this application's server");
  expect(plan({ request: { url: "/reset/[left-out]" } })).toContain("never kept");
  expect(plan({ request: { url: "/orders?token=[scrubbed]" } })).toContain("never kept");
  expect(plan({ request: { method: "POST", url: "/pay/_action/pay" } })).toBe("a write (POST)");
  expect(plan({ request: { method: "POST", url: "/pay/_action/pay" } }, true)).toBe("POST /pay/_action/pay");
});
