import { load } from "holdfast/server";
import { sourcesOf } from "../../server/sources.ts";
import { findExperiment } from "../../try/experiments.ts";

export const data = load(({ url }) => {
  const experiment = findExperiment(url.pathname);
  return { sources: sourcesOf(experiment?.route ?? url.pathname) };
});
