import { load, notFound } from "holdfast/server";
import { findGuide } from "../../server/guides.ts";

export const data = load("/docs/[guide]", ({ params }) => findGuide(params.guide) ?? notFound());
