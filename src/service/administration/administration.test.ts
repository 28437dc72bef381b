import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { startPostgres, type TestPostgres } from "../../../tests/kit/postgres.ts";
import { openSharedState } from "../shared/open-shared-state.ts";
import type { SharedState } from "../shared/shared-state.ts";
import { type Administration, openAdministration } from "./administration.ts";

let postgres: TestPostgres;

beforeAll(async () => {
  postgres = await startPostgres();
}, 120_000);

afterAll(() => postgres[Symbol.asyncDispose](), 120_000);

describeAdministration("in a data folder", async () => "");
describeAdministration("in PostgreSQL", () => postgres.newDatabase());

/** What must hold wherever the settings are. */
function describeAdministration(where: string, choose: () => Promise<string>): void {
  describe(`changes by owners ${where}`, () => {
    let folder: string;
    let shared: SharedState;
    let address: string;
    let administration: Administration;
    let now = 1_000;

    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), "holdfast-office-"));
      address = await choose();
      shared = await opened();
      administration = openAdministration(
        shared,
        () => now++,
        async () => undefined,
      );
    });

    afterEach(async () => {
      await shared.close();
      rmSync(folder, { recursive: true });
    });

    async function opened(): Promise<SharedState> {
      const state = await openSharedState(folder, address);
      await state.ready();
      await state.projects.makeFirst();
      return state;
    }

    it("changes are logged with their author, newest first, for each project beside those for all", async () => {
      const shop = await administration.addProject("shop", "ada");
      await administration.record({ by: "max", project: 1, what: "looked" });
      await administration.changeSettings({ ...administration.settings(), keepDays: 30 }, "ada");
      expect((await administration.audit(shop.id, 10)).map(({ by, what }) => `${by} ${what}`)).toEqual([
        "ada keeps events for 30 days, before 90",
        "ada made the project shop",
      ]);
      expect(await administration.audit(1, 1)).toEqual([
        { at: expect.any(Number), by: "ada", what: "keeps events for 30 days, before 90" },
      ]);
      const template = "https://git.example/{commit}/{file}#L{line}";
      expect(await administration.changeSourceLink(1, "http://git.example/{file}", "ada")).toContain("https://");
      expect(await administration.changeSourceLink(1, template, "ada")).toBeUndefined();
      expect(administration.sourceLink(1)).toBe(template);
      const place = { commit: "abc", file: "src/cart.ts", line: 7 };
      expect(administration.linkToSource(1, place)).toBe("https://git.example/abc/src/cart.ts#L7");
      expect(administration.linkToSource(shop.id, place)).toBeUndefined();
      expect((await administration.audit(1, 1))[0]?.what).toBe(`links to ${template}`);
      expect(await administration.createUploadToken(1, "pipeline", "ada")).toMatchObject({ kind: "created" });
      expect(await administration.createUploadToken(1, "pipeline", "ada")).toMatchObject({ kind: "refused" });
      expect(administration.uploadTokens(1)).toEqual([{ name: "pipeline", createdAt: expect.any(Number) }]);
      expect(await administration.removeUploadToken(1, "pipeline", "ada")).toBe(true);
      expect((await administration.audit(1, 2)).map(({ what }) => what)).toEqual([
        "removed the upload token pipeline; it is refused",
        "made the upload token pipeline",
      ]);
      if (address === "") expect(statSync(join(folder, "audit.jsonl")).mode & 0o777).toBe(0o600);
    });

    it("changes apply to every process, and invalid ones are refused", async () => {
      const elsewhere = await opened();
      const before = elsewhere.projects.all[0]?.publicKey;
      await administration.renameProject(1, "till", "ada");
      await administration.renewKey(1, "ada");
      const another = await opened();
      expect(another.projects.all).toMatchObject([{ id: 1, name: "till" }]);
      expect(another.projects.all[0]?.publicKey).not.toBe(before);
      expect(await administration.changeSettings({ ...administration.settings(), keepDays: 0 }, "ada")).toEqual({
        keepDays: "From 1 day to 3,650.",
      });
      expect(administration.settings().keepDays).toBe(90);
      writeFileSync(join(folder, "settings.json"), "{ broken");
      expect(administration.settings().keepDays).toBe(90);
      await elsewhere.close();
      await another.close();
    });

    it("changes of secret names can be tried before they are saved", () => {
      const rules = { alsoSecret: ["pin"], keepAddresses: false };
      expect(JSON.parse(administration.tryScrubbing('{"pin":1234,"password":"x","city":"Oslo"}', rules))).toEqual({
        pin: "[scrubbed]",
        password: "[scrubbed]",
        city: "Oslo",
      });
      expect(administration.tryScrubbing("GET /a?token=abc&b=1", rules)).toBe("GET /a?token=[scrubbed]&b=1");
    });
  });
}
