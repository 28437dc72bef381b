import { createRouter } from "@tanstack/react-router";
import { routeTree } from "./routeTree.gen";
import { NotFound } from "./shared/pages";

export const getRouter = () => createRouter({ routeTree, defaultNotFoundComponent: NotFound });
