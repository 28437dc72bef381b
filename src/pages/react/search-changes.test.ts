import { describe, expect, it } from "vitest";
import { SearchChanges } from "./search-changes.ts";

/** A browser with one page. Time passes only by `pause`. */
function browser(search = "") {
  let address = `https://shop.example/list${search}`;
  let due: (() => void) | undefined;
  let pending: string | undefined;
  const loaded: string[] = [];
  const searchOf = (url: string) => new URL(url).search;
  const changes: SearchChanges = new SearchChanges({
    address: () => address,
    writeAddress: (to) => {
      address = to;
    },
    navigate: (to, replace) => {
      loaded.push(`${replace ? "replace" : "push"} ${searchOf(to)}`);
      start(to);
    },
    pending: () => pending,
    setTimer: (run) => {
      due = run;
      return () => {
        due = undefined;
      };
    },
  });
  const start = (to: string): void => {
    pending = to;
    changes.otherNavigation();
  };
  const unsubscribe = changes.subscribe(() => undefined);
  return {
    changes,
    loaded,
    unsubscribe,
    set: (change: object, push = false) => changes.change({ ...change }, {}, push),
    search: () => searchOf(address),
    pause: () => due?.(),
    isWaiting: () => due !== undefined,
    click: (to: string) => start(`https://shop.example${to}`),
    /** The page of an address is shown, as a commit does it. */
    show: (to: string) => {
      address = `https://shop.example/list${to}`;
      pending = undefined;
      changes.pageShown(to);
    },
  };
}

describe("changes of a search", () => {
  it("changes are in the address at once, and the page is loaded once, after the last of them", () => {
    const tab = browser("?sort=new&q=old&utm=x");
    for (const q of ["b", "bo", "boo"]) tab.set({ q });
    expect(tab.search()).toBe("?sort=new&utm=x&q=boo");
    expect(tab.loaded).toEqual([]);
    tab.pause();
    expect(tab.loaded).toEqual(["replace ?sort=new&utm=x&q=boo"]);
    expect(tab.changes.read()).toEqual({ q: "boo" });
    tab.show("?sort=new&utm=x&q=boo");
    expect(tab.changes.read()).toEqual({});
  });

  it("the page of an earlier change that arrives late takes nothing back", () => {
    const tab = browser();
    tab.set({ q: "bo" });
    tab.pause();
    tab.set({ q: "boots" });
    tab.show("?q=bo");
    expect(tab.changes.read()).toEqual({ q: "boots" });
    expect(tab.search()).toBe("?q=boots");
    tab.pause();
    expect(tab.loaded).toEqual(["replace ?q=bo", "replace ?q=boots"]);
    tab.show("?q=boots");
    expect(tab.changes.read()).toEqual({});
  });

  it("a click on a link is not followed by a load of what was typed before it, which stays in the address", () => {
    const tab = browser();
    tab.set({ q: "boots" });
    tab.click("/other");
    expect(tab.isWaiting()).toBe(false);
    expect(tab.loaded).toEqual([]);
    expect(tab.search()).toBe("?q=boots");
    tab.show("?page=2");
    expect(tab.changes.read()).toEqual({});
  });

  it("a change with an entry of its own is loaded at once, with those before it", () => {
    const tab = browser();
    tab.set({ q: "boots" });
    tab.set({ page: 2 }, true);
    expect(tab.loaded).toEqual(["push ?q=boots&page=2"]);
    expect(tab.isWaiting()).toBe(false);
  });

  it("a change of a component that has gone is loaded", () => {
    const tab = browser();
    tab.set({ q: "boots" });
    tab.unsubscribe();
    expect(tab.loaded).toEqual(["replace ?q=boots"]);
  });
});
