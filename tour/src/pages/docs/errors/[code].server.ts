import { load, notFound } from "holdfast/server";
import { findErrorPage } from "../../../server/error-pages.ts";

export const data = load("/docs/errors/[code]", ({ params }) => findErrorPage(params.code) ?? notFound());
