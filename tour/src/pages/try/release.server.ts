import { action, load } from "holdfast/server";
import { brokenRelease } from "../../server/broken-release.ts";

export const data = load("/try/release", () => {
  const { release, isHealed, routes, next } = brokenRelease;
  return { release, isHealed, routes, next };
});

export const actions = {
  deploy: action({}, () => {
    brokenRelease.deploy();
    return {};
  }),
  visit: action({}, () => {
    brokenRelease.visit();
    return {};
  }),
  repair: action({}, () => {
    brokenRelease.repair();
    return {};
  }),
  reset: action({}, () => {
    brokenRelease.reset();
    return {};
  }),
};
