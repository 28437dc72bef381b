import type { Site } from "../site.ts";
import { documentSettings } from "./document-settings.ts";
import { type MadePage, makePage, type UnmadePage } from "./make-page.ts";
import { type PlannedPage, type PrerenderPlan, planPages } from "./plan-pages.ts";
import { planSite } from "./plan-site.ts";

/** Makes the pages of an application ahead of any request. */
export interface Prerenderer {
  /** Identifies the settings that its documents contain. */
  settings: string;
  /** `origin`: where the application will be served, if that is known. */
  plan(origin: string | undefined): Promise<PrerenderPlan>;
  /** The same for an application that becomes a folder of files: with what needs a server. */
  planSite(origin: string | undefined): Promise<PrerenderPlan>;
  /** Never rejects because of code of the application. */
  make(page: PlannedPage): Promise<MadePage | UnmadePage>;
}

export function createPrerenderer(site: Site): Prerenderer {
  return {
    settings: documentSettings(site),
    plan: (origin) => planPages(site, origin),
    planSite: (origin) => planSite(site, origin),
    make: (page) => makePage(site, page),
  };
}
