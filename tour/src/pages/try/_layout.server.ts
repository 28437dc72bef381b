import { load } from "holdfast/server";
import { guideTitle } from "../../server/guides.ts";
import { sourcesOf } from "../../server/sources.ts";
import { findExperiment } from "../../try/experiments.ts";

export const data = load(({ url }) => {
  const experiment = findExperiment(url.pathname);
  return {
    sources: sourcesOf(experiment?.route ?? url.pathname, experiment?.sources),
    guideTitle: experiment && guideTitle(experiment.guide),
  };
});
