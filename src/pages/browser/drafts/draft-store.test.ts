import { describe, expect, it } from "vitest";
import { type Draft, DraftStore, draftLimits } from "./draft-store.ts";

const form = (name: string, text = "typed", place = 1): Omit<Draft, "at"> => ({
  place,
  name,
  nth: 0,
  tag: "ada",
  fields: [["text", 0, text]],
});

describe("drafts", () => {
  it("a draft of an earlier visit is restored in any entry, and only for its visitor", () => {
    const tab = aTab();
    tab.store.keep(form("/a save 1", "typed", 0));
    expect([tab.store.at(7, "ada").length, tab.store.at(7, "bob").length]).toEqual([1, 0]);
  });

  it("drafts are restored in the next document, for the same entry and the same visitor", () => {
    const tab = aTab();
    tab.store.keep(form("/a save 1"));
    tab.store.keep({
      ...form("/a save 2"),
      fields: [
        ["a", 0, true],
        ["b", 1, ["x", "y"]],
      ],
    });
    tab.store.write();
    const next = tab.reload();
    expect(next.at(1, "ada").map(({ name }) => name)).toEqual(["/a save 1", "/a save 2"]);
    expect(next.at(1, "ada")[1]?.fields).toEqual([
      ["a", 0, true],
      ["b", 1, ["x", "y"]],
    ]);
    expect(next.at(2, "ada")).toEqual([]);
    expect(next.at(1, "bob")).toEqual([]);
    expect(next.at(1, "")).toEqual([]);
  });

  it("drafts of an unknown visitor stay theirs once the server knows them", () => {
    const { store } = aTab();
    store.keep({ ...form("/a"), tag: "" });
    expect([store.at(1, "").length, store.at(1, "ada").length]).toEqual([1, 1]);
  });

  it("replace each other for one form, and are dropped without a field", () => {
    const { store } = aTab();
    store.keep(form("/a", "first"));
    store.keep(form("/a", "second"));
    expect(store.at(1, "ada").map(({ fields }) => fields[0]?.[2])).toEqual(["second"]);
    store.keep({ ...form("/a"), fields: [] });
    expect(store.at(1, "ada")).toEqual([]);
  });

  it("drafts are at most 16, the newest", () => {
    const { store } = aTab();
    for (let count = 0; count < 20; count++) store.keep(form(`/${count}`));
    expect(store.at(1, "ada").map(({ name }) => name)).toEqual(Array.from({ length: 16 }, (_, at) => `/${at + 4}`));
  });

  it("share 64 KiB; the oldest are dropped first, and a larger one is not kept", () => {
    const tab = aTab();
    for (const name of ["/a", "/b", "/c"]) tab.store.keep(form(name, "x".repeat(30_000)));
    tab.store.write();
    expect(tab.text?.length).toBeLessThanOrEqual(draftLimits.characters);
    expect(
      tab
        .reload()
        .at(1, "ada")
        .map(({ name }) => name),
    ).toEqual(["/b", "/c"]);
    tab.store.keep(form("/d", "x".repeat(70_000)));
    expect(tab.store.at(1, "ada")).toEqual([]);
  });

  it("last for 24 hours, and one from the future is ignored", () => {
    const tab = aTab();
    tab.store.keep(form("/a"));
    tab.wait(86_399_999);
    expect(tab.store.at(1, "ada")).toHaveLength(1);
    tab.wait(1);
    expect(tab.store.at(1, "ada")).toEqual([]);
    tab.store.keep(form("/b"));
    tab.wait(-1_000);
    expect(tab.store.at(1, "ada")).toEqual([]);
  });

  it("drafts are dropped one by one, or erased with the session, even for the next document", () => {
    const tab = aTab();
    for (const name of ["/a", "/b"]) tab.store.keep(form(name));
    tab.store.keep(form("/a", "of another entry", 2));
    tab.store.drop(1, "/a");
    expect(tab.store.at(1, "ada").map(({ name }) => name)).toEqual(["/b"]);
    expect(tab.store.at(2, "ada")).toHaveLength(1);
    tab.store.erase();
    expect([tab.store.at(1, "ada"), tab.reload().at(2, "ada")]).toEqual([[], []]);
  });

  it("know whether they were typed after a form was sent", () => {
    const tab = aTab();
    tab.store.keep(form("/a"));
    const pressedAt = tab.now();
    expect(tab.store.isNewer(1, "/a", pressedAt)).toBe(false);
    tab.wait(1);
    tab.store.keep(form("/a", "meanwhile"));
    expect([tab.store.isNewer(1, "/a", pressedAt), tab.store.isNewer(2, "/a", pressedAt)]).toEqual([true, false]);
  });

  it("follow a form whose name has changed, and keep their age", () => {
    const tab = aTab();
    tab.store.keep(form("/a save _r_1_"));
    tab.wait(1_000);
    const [draft] = tab.store.at(1, "ada");
    if (draft) tab.store.rename(draft, "/a save _r_7_");
    expect(tab.store.at(1, "ada")).toMatchObject([{ name: "/a save _r_7_", at: tab.now() - 1_000 }]);
  });

  it.each([
    "no JSON",
    "7",
    "[null]",
    '[{"place":1}]',
    '[{"place":1,"name":"/a","nth":0,"tag":"ada","at":"soon","fields":[]}]',
    '[{"place":1,"name":"/a","nth":0,"tag":"ada","at":1,"fields":[["a"]]}]',
    '[{"place":1,"name":"/a","nth":0,"tag":"ada","at":1,"fields":[["a",0,{"x":1}]]}]',
  ])("drafts that were damaged (%s) are ignored", (text) => {
    expect(aTab(text).store.at(1, "ada")).toEqual([]);
  });
});

function aTab(text: string | null = null) {
  let kept = text;
  let now = 1_700_000_000_000;
  const place = {
    read: () => kept,
    write(next: string) {
      kept = next;
    },
  };
  const open = () => new DraftStore(place, draftLimits, () => now);
  return {
    store: open(),
    reload: open,
    now: () => now,
    get text() {
      return kept;
    },
    wait(ms: number) {
      now += ms;
    },
  };
}
