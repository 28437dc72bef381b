import { expect, test } from "vitest";
import { HoldfastError } from "#errors";
import { type HealingSource, openHealingApi } from "./healing-api.ts";

function openWith(source: Partial<HealingSource> | undefined) {
  const records: string[] = [];
  const all = source && { status: async () => undefined, pin: async () => undefined, ...source };
  const record = async ({ by, what }: { by: string; what: string }): Promise<void> =>
    void records.push(`${by} ${what}`);
  return { api: openHealingApi({ project: 1, source: () => all, administration: { record } }), records };
}

test("a choice of the build is in the audit log, a refused one is not", async () => {
  const pins: string[] = [];
  const { api, records } = openWith({
    pin: async (route, to) => {
      if (route === "/none") throw new HoldfastError("unknown-route", "There is no such route.", "See the list.");
      pins.push(`${route} ${to}`);
    },
  });
  expect(await api.pin({ route: "/cart", to: "before", by: "ada" })).toEqual({ kind: "done" });
  expect(await api.pin({ route: "/cart", to: undefined, by: "ada" })).toEqual({ kind: "done" });
  expect(await api.pin({ route: "/none", to: "new", by: "ada" })).toMatchObject({ kind: "refused" });
  expect(pins).toEqual(["/cart before", "/cart undefined"]);
  expect(records).toEqual(["ada pinned /cart to the build before", "ada unpinned /cart"]);
});

test("an application that watches no release has no status, and refuses a choice", async () => {
  const { api, records } = openWith(undefined);
  expect(await api.status()).toBeUndefined();
  expect(await api.pin({ route: "/cart", to: "new", by: "ada" })).toMatchObject({ kind: "refused" });
  expect(records).toEqual([]);
});
