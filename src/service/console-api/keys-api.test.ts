import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Administration, openAdministration } from "../administration/administration.ts";
import type { IntakeChanges } from "../intake/figures.ts";
import { keyLimits } from "../intake/project-keys.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import type { SharedState } from "../shared/shared-state.ts";
import { type KeysApi, type KeyWish, openKeysApi } from "./keys-api.ts";

describe("keys of a project", () => {
  let folder: string;
  let shared: SharedState;
  let administration: Administration;
  let keys: KeysApi;
  let now = 1_000;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "holdfast-keys-"));
    shared = await openSharedState(folder);
    await shared.projects.makeFirst();
    const clock = (): number => now++;
    administration = openAdministration(shared, clock, async () => undefined);
    keys = openKeysApi({ projects: shared.projects, figures: shared.intakeFigures, administration, now: clock });
  });

  afterEach(async () => {
    await shared.close();
    rmSync(folder, { recursive: true });
  });

  const wish = (name: string, more: Partial<KeyWish> = {}): KeyWish => ({
    name,
    perMinute: undefined,
    origins: [],
    ...more,
  });

  async function made(name: string, more: Partial<KeyWish> = {}): Promise<string> {
    const outcome = await keys.add(1, wish(name, more), "ada");
    if (outcome.kind !== "done") throw new Error(JSON.stringify(outcome));
    return outcome.publicKey;
  }

  it("a project of an older version has its one key as the main key, which further ones leave as it is", async () => {
    const before = shared.projects.all[0]?.publicKey ?? "";
    const shop = await made("Shop", { perMinute: 600, origins: ["https://Shop.example"] });
    expect(keys.of(1)).toMatchObject([
      { publicKey: before, name: "Main", isMain: true, createdAt: undefined, lastUsedAt: undefined },
      { publicKey: shop, name: "Shop", isMain: false, perMinute: 600, origins: ["https://shop.example"], refused: 0 },
    ]);
    expect(shared.projects.byKey(before)?.id).toBe(1);
    expect(shared.projects.byKey(shop)?.id).toBe(1);
  });

  it("a key is disabled, enabled, made the main key and removed, and the audit log names who did it", async () => {
    const [main = ""] = keys.of(1).map(({ publicKey }) => publicKey);
    const shop = await made("Shop");
    await keys.step(1, shop, "disable", "max");
    expect(shared.projects.byKey(shop)).toBeUndefined();
    expect(await keys.step(1, shop, "make-main", "max")).toMatchObject({ kind: "refused" });
    await keys.step(1, shop, "enable", "max");
    expect(await keys.step(1, main, "remove", "max")).toMatchObject({ kind: "refused" });
    expect(await keys.step(1, main, "disable", "max")).toMatchObject({ kind: "refused" });
    await keys.step(1, shop, "make-main", "max");
    expect(await keys.step(1, main, "remove", "max")).toMatchObject({ kind: "done" });
    expect(keys.of(1)).toMatchObject([{ publicKey: shop, isMain: true, isDisabled: false }]);
    expect(shared.projects.byKey(main)).toBeUndefined();
    expect(await keys.step(1, main, "enable", "max")).toEqual({ kind: "unknown" });
    expect((await administration.audit(1, 10)).map(({ by, what }) => `${by} ${what}`)).toEqual([
      "max removed the key Main; it is refused",
      "max made Shop the main key",
      "max enabled the key Shop",
      "max disabled the key Shop; it is refused",
      "ada made the key Shop",
    ]);
  });

  it("a replaced main key keeps its name and its rules", async () => {
    const [main = ""] = keys.of(1).map(({ publicKey }) => publicKey);
    await keys.change(1, main, wish("Web", { perMinute: 60 }), "ada");
    await administration.renewKey(1, "ada");
    expect(keys.of(1)).toMatchObject([{ name: "Web", perMinute: 60, isMain: true }]);
    expect(keys.of(1)[0]?.publicKey).not.toBe(main);
    expect(shared.projects.byKey(main)).toBeUndefined();
  });

  it("invalid names, limits and origins are refused by field, and change nothing", async () => {
    await made("Shop");
    const refused = async (one: KeyWish) => keys.add(1, one, "ada");
    expect(await refused(wish(" "))).toMatchObject({ problems: { name: expect.any(String) } });
    expect(await refused(wish("Shop"))).toMatchObject({ problems: { name: "There is a key named Shop already." } });
    expect(await refused(wish("a", { perMinute: 0 }))).toMatchObject({ problems: { perMinute: expect.any(String) } });
    expect(await refused(wish("a", { origins: ["https://shop.example/path"] }))).toMatchObject({
      problems: { origins: expect.stringContaining("is no origin") },
    });
    expect(await keys.changePerMinute(1, keyLimits.perMinute + 1, "ada")).toContain("60,000");
    expect(await keys.changePerMinute(1, 100, "ada")).toBeUndefined();
    expect(keys.perMinute(1)).toBe(100);
    await keys.changePerMinute(1, undefined, "ada");
    expect(keys.perMinute(1)).toBeUndefined();
    for (let index = keys.of(1).length; index < keyLimits.perProject; index += 1) await made(`key ${index}`);
    expect(await refused(wish("one more"))).toMatchObject({ problems: { "": expect.stringContaining("at most 50") } });
    expect(keys.of(1)).toHaveLength(keyLimits.perProject);
  });

  it("figures of a removed key are forgotten", async () => {
    const shop = await made("Shop");
    const known = {
      hasKey: (key: string) => shared.projects.findKey(key) !== undefined,
      hasFilter: () => false,
      hasProject: () => true,
    };
    const add = (keys: IntakeChanges["keys"]) =>
      shared.intakeFigures.add({ keys, filters: new Map(), spikes: new Map() }, known, 1);
    const change = { usedAt: 5_000, refused: 2 };
    await add(new Map([[shop, change]]));
    await add(new Map([[shop, { usedAt: undefined, refused: 1 }]]));
    expect(keys.of(1)[1]).toMatchObject({ lastUsedAt: 5_000, refused: 3 });
    await keys.step(1, shop, "remove", "ada");
    await add(new Map());
    expect(shared.intakeFigures.ofKeys([shop])).toEqual([{ lastUsedAt: undefined, refused: 0 }]);
  });
});
