import { load, notFound, type Prerender } from "holdfast/server";
import { findGuide, guideNames } from "../../server/guides.ts";

export const prerender: Prerender<"/docs/[guide]"> = guideNames.map((guide) => ({ guide }));

export const data = load("/docs/[guide]", ({ params }) => findGuide(params.guide) ?? notFound());
