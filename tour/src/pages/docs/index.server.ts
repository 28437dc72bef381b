import { load, notFound } from "holdfast/server";
import { findGuide } from "../../server/guides.ts";

export const prerender = true;

export const data = load("/docs", () => findGuide("README") ?? notFound());
